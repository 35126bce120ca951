"""Programs in JavaScript, TypeScript and Go, each with the place to rename marked by `§`; the first file is run.

The first line says what becomes of the rename: `passes`, `asks`, `asks in vain`: the question can't be spared, though
this program would do the same; or `refused`. A name behind it is the new one, `fresh` where there is none.
"""

PROGRAMS = """
asks Fresh  a struct that is written out where it is made
--- m.go
package main
import ("encoding/json"; "fmt")
type A struct {
	§Size int
}
func main() { b, _ := json.Marshal(A{1}); fmt.Println(string(b)) }
======
passes Fresh  a field that is written out under a name of its own
--- m.go
package main
import ("encoding/json"; "fmt")
type A struct {
	§Count int `json:"n"`
}
func main() { a := A{1}; b, _ := json.Marshal(a); fmt.Println(string(b)) }
======
asks Fresh  something unknown that is written out
--- m.go
package main
import ("encoding/json"; "fmt")
type A struct {
	§Size int
}
func dump(v any) { b, _ := json.Marshal(v); fmt.Println(string(b)) }
func main() { dump(A{2}) }
======
asks Fresh  a writer that is given a struct
--- m.go
package main
import ("encoding/json"; "os")
type A struct {
	§Size int
}
func main() { json.NewEncoder(os.Stdout).Encode(A{3}) }
======
asks Fresh  a field that would be seen
--- m.go
package main
import ("encoding/json"; "fmt")
type A struct {
	§size int
}
func main() { a := A{1}; b, _ := json.Marshal(a); fmt.Println(string(b)) }
======
asks y  a member that is asked for by a text
--- m.mjs
class B { §go() { return 1 } }
const b = new B()
b["y"] = 2
console.log(b.go(), b["y"])
======
asks  the rest of an object that nothing is known of
--- m.mjs
class A { §size = 1; width = 2 }
function f({ width, ...rest }) { return Object.keys(rest) }
console.log(f(new A()), new A().size)
======
asks  something unknown that is written out
--- m.ts
class A { §size = 1 }
function dump(v: unknown) { return JSON.stringify(v) }
console.log(dump(new A()))
======
asks  something unknown whose names are listed
--- m.mjs
class A { §size = 1 }
function dump(v) { return Object.keys(v) }
console.log(dump(new A()))
======
asks  something unknown in another file that is written out
--- m.mjs
import { dump } from "./n.mjs"
class A { §size = 1 }
console.log(dump(new A()))
--- n.mjs
export function dump(v) { return JSON.stringify(v) }
======
asks  a value within what is written out
--- m.mjs
class A { §size = 1 }
const a = new A()
console.log(JSON.stringify({ a }))
======
asks  a value whose members are copied
--- m.mjs
class A { §size = 1 }
console.log(JSON.stringify({ ...new A(), z: 1 }))
======
asks  something unknown that is sent
--- m.ts
interface O { §size: number }
function send(body: unknown) { return JSON.stringify(body) }
function f(o: O) { return send(o) }
console.log(f({ size: 1 }))
======
asks size  a field that is written out under a name of its own, and would be seen no more
--- m.go
package main
import ("encoding/json"; "fmt")
type A struct {
	§Count int `json:"n"`
}
func main() { a := A{1}; b, _ := json.Marshal(a); fmt.Println(string(b)) }
======
passes Fresh  another struct that is written out
--- m.go
package main
import ("encoding/json"; "fmt")
type A struct {
	§Size int
}
type B struct {
	Width int
}
func main() { b, _ := json.Marshal(B{1}); c, _ := json.Marshal([]int{1}); fmt.Println(A{2}.Size, string(b), string(c)) }
======
refused String  a method that the library looks for
--- m.go
package main
import "fmt"
type A struct{}
func (a A) §Show() string { return "shown" }
func main() { fmt.Println(A{}); A{}.Show() }
======
asks Fresh  a method by which a type would come to be what is asked for
--- m.go
package main
import "fmt"
type A struct{}
func (a A) §Go() int { return 1 }
type I interface{ Fresh() int }
func f(x any) bool { _, ok := x.(I); return ok }
func main() { fmt.Println(f(A{}), A{}.Go()) }
======
passes Fresh  a method that an interface asks for beside others
--- m.go
package main
import "fmt"
type A struct{}
func (a A) §Go() int { return 1 }
type I interface{ Fresh() int; Stop() int }
func f(x any) bool { _, ok := x.(I); return ok }
func main() { fmt.Println(f(A{}), A{}.Go()) }
======
passes  a label
--- m.go
package main
import "fmt"
func main() {
	outer := 1
§outer:
	for i := 0; i < 3; i++ {
		for { if i == 1 { break outer }; continue outer }
	}
	fmt.Println(outer)
}
======
passes  a package's name in one file
--- m.go
package main
import §q "fmt"
func main() { q.Println(1) }
======
passes Fresh  a function and the example of it
--- m.go
package main
import "fmt"
func main() { fmt.Println(Count()) }
--- n.go
package main
func §Count() int { return 1 }
======
asks in vain Fresh  a function that an example is named after
--- m.go
package main
import "fmt"
func main() { fmt.Println(Count()) }
--- n.go
package main
func §Count() int { return 1 }
--- n_test.go
package main
func ExampleCount() { Count() }
======
asks in vain Fresh  a type that the example of a method is named after
--- m.go
package main
import "fmt"
func main() { fmt.Println(Counter{1}.Count()) }
--- n.go
package main
type §Counter struct { n int }
func (c Counter) Count() int { return c.n }
--- n_test.go
package main
func ExampleCounter_Count() { Counter{2}.Count() }
======
passes fresh  a name that only begins an example's
--- m.go
package main
import "fmt"
func main() { fmt.Println(Count(), Counted()) }
--- n.go
package main
func §Count() int { return 1 }
func Counted() int { return 2 }
--- n_test.go
package main
func ExampleCounted() { Counted() }
======
asks in vain fresh  a function that another package is linked to
--- m.go
package main
import (
	"fmt"
	"example.com/n"
	"example.com/k"
)
func main() { fmt.Println(n.Shown(), k.Linked()) }
--- n/n.go
package n
func Shown() int { return §hidden() }
func hidden() int { return 1 }
--- k/k.s
--- k/k.go
package k
import _ "unsafe"
import _ "example.com/n"
//go:linkname linked example.com/n.hidden
func linked() int
func Linked() int { return linked() }
======
passes  a method below classes of the runtime
--- m.mjs
import { EventEmitter } from "node:events"
import * as events from "events"
class A extends EventEmitter { §go() { return 1 } }
class B extends events.EventEmitter { go() { return 2 } }
class C extends TypeError { go() { return 3 } }
class D extends Map { go() { return 4 } }
console.log(new A().go(), new B().go(), new C().go(), new D().go())
======
asks  a method below a parameter that is called like a class of the runtime
--- m.mjs
import { Readable } from "node:stream"
const mixed = (Map) => {
	class Mixed extends Map { §_read() { this.push("x"); this.push(null) } }
	return Mixed
}
for await (const it of new (mixed(Readable))()) console.log(String(it))
======
asks emit  a method that a class of the runtime calls by the new name
--- m.mjs
import Emitter from "node:events"
class A extends Emitter { §go() { return "mine" } }
const it = new A()
it.on("x", () => console.log("heard"))
console.log(it.go(), Reflect.get(it, ["em", "it"].join("")).call(it, "x"))
======
asks in vain fresh  a method below a class of the tree that is called like one of the runtime's
--- m.mjs
import { Map } from "elsewhere"
class A extends Map { §go() { return 1 } }
console.log(new A().go())
--- node_modules/elsewhere/index.mjs
export class Map { asked() { return this.go() } }
--- node_modules/elsewhere/package.json
{"name": "elsewhere", "main": "index.mjs"}
======
passes  the key of a module that is taken apart
--- m.mjs
import * as n from "./n.mjs"
const { go: run } = n
console.log(run(), n.go())
--- n.mjs
export function §go() { return 1 }
======
passes  the key of a module that is taken apart under its own name
--- m.mjs
import * as n from "./n.mjs"
const { go } = n
console.log(go(), n.go())
--- n.mjs
export function §go() { return 1 }
======
refused y  a name that an enumeration's later members read
--- m.ts
const y = 5
enum E { §Go = 1, B = y }
console.log(E.Go, E.B)
======
refused y  a key that a literal has already
--- m.ts
interface O { §go?: number, [k: string]: number | undefined }
const o: O = { go: 1, y: 2 }
console.log(o.go, o.y)
======
refused y  a member that a value has besides
--- m.ts
class B { §go() { return 1 } }
const b = new B() as B & { y: number }
b.y = 2
console.log(b.go(), b.y)
======
asks in vain  names of members that become parts of others
--- m.ts
type O = { §go: number }
type M = { [K in keyof O as `get_${K}`]: O[K] }
const m: M = { get_go: 1 }
const o: O = { go: 1 }
console.log(m.get_go, o.go)
======
asks  the rest of an object
--- m.ts
interface O { go?: number, §y?: number }
function f({ go = 1, ...rest }: O) { return [go, rest] }
console.log(JSON.stringify(f({ go: 1, y: 2 })))
======
asks  a class that may stand for another
--- m.ts
class A { §go() { return 1 } }
class P { go() { return 2 } }
const a: A = new P()
console.log(a.go())
======
passes  a class that has more than another
--- m.ts
class A { §go() { return 1 } }
class P { go() { return 2 }; stop() {} }
function f(p: P) { return p.go() }
console.log(new A().go(), f(new P()))
======
passes  a private member
--- m.mjs
class A { #§go = 1; go() { return this.#go } }
class B { #go = 2; get() { return this.#go } }
console.log(new A().go(), new B().get())
======
asks in vain  a member of an inline type
--- m.ts
function f(this: { §go: number }) { return this.go }
console.log(f.call({ go: 1 }))
======
asks in vain  a member of one of several types
--- m.ts
type A = { kind: "a", §go: number } | { kind: "b", go: string }
function f(a: A) { return a.go }
console.log(f({ kind: "a", go: 1 }))
======
passes  a written name that something is asked for
--- m.mjs
class A { §size = 1 }
console.log("size" in new A(), Reflect.get(new A(), "size"), Object.hasOwn(new A(), "size"))
======
passes  a written name by which types are told apart
--- m.ts
interface A { §size: number }
function g(a: A | { w: number }) { return "size" in a ? a.size : a.w }
console.log(g({ size: 1 }))
======
passes  another class is written out
--- m.ts
class A { §size = 1 }
class B { width = 2 }
function dump(v: B) { return JSON.stringify(v) + Object.keys(v) }
console.log(new A().size, dump(new B()))
======
passes  a label of a loop
--- m.mjs
const outer = 1
§outer: for (const i of [1, 2]) { for (;;) { if (i == 1) continue outer; break outer } }
console.log(outer)
======
passes  a name that an import gives
--- m.mjs
import { go as §run } from "./n.mjs"
console.log(run())
--- n.mjs
export function go() { return 1 }
======
passes  a name that an import of a whole module gives
--- m.mjs
import * as §n from "./n.mjs"
import fs from "node:fs"
console.log(n.go(), { n }.n.go(), typeof fs)
--- n.mjs
export function go() { return 1 }
======
passes  a name that an import from outside gives
--- m.mjs
import §fs, { readFileSync as read } from "node:fs"
console.log(typeof fs, typeof read)
======
passes  a field with a name that only others have
--- m.ts
class A { §go = 1 }
class B { fresh = 2 }
function f(b: B) { return b.fresh }
console.log(new A().go, f(new B()))
======
asks  each of what a function is given is written out
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.dump([new A()]))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function dump(vs) { return vs.map(v => JSON.stringify(v)) }
======
asks  what an object has is written out
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(new u.S(new A()).out())
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export class S { constructor(v) { this.v = v } out() { return JSON.stringify(this.v) } }
======
asks  what a function is given is written out in another object
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.send(new A()))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function send(body) { return JSON.stringify({ body, t: 1 }) }
======
asks  a loop over the names of what a function is given
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.dump(new A()))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function dump(o) { const r = []; for (const k in o) r.push(k); return r }
======
asks  the names of a copy
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.dump(new A()))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function dump(v) { const x = { ...v }; return Object.keys(x) }
======
asks  the names of a copy that a function makes
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.dump(new A()))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function dump(v) { const x = Object.assign({}, v); return Object.keys(x) }
======
asks  the new name is given to an object that nobody knows
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
const a = new A(); u.set(a); console.log(a.size)
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function set(o) { Object.assign(o, { fresh: 5 }) }
======
asks Fresh  a field of any type is written out
--- m.go
package main

import (
	"example.com/p"
	"fmt"
)

type A struct{ §Size int }

func main() { fmt.Println(p.S{V: A{1}}.Out()) }
--- p/p.go
package p

import "encoding/json"

type S struct{ V any }

func (s S) Out() string { b, _ := json.Marshal(s.V); return string(b) }
======
asks Fresh  a member of a list is looked into
--- m.go
package main

import (
	"example.com/p"
	"fmt"
)

type A struct{ §Size int }

func main() { fmt.Println(p.Names([]any{A{1}})) }
--- p/p.go
package p

import "reflect"

func Names(vs []any) string { return reflect.TypeOf(vs[0]).Field(0).Name }
======
asks Fresh  a value of a map is written out
--- m.go
package main

import (
	"example.com/p"
	"fmt"
)

type A struct{ §Size int }

func main() { fmt.Println(p.Out(A{1})) }
--- p/p.go
package p

import "encoding/json"

func Out(v any) string { b, _ := json.Marshal(map[string]any{"v": v}); return string(b) }
======
asks  a member by a key that is put together, of what a function is given
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.get(new A(), 'si' + 'ze'))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function get(o, k) { return o[k] }
======
asks  a member by a key that a function puts together
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.get(new A(), 'si'))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function get(o, k) { k = k + 'ze'; return o[k] }
======
asks  a member by a key, in a function that has another name elsewhere
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
const g = u.get
console.log(g(new A(), 'si' + 'ze'))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function get(o, k) { return o[k] }
======
passes  all keys that a function is given are written out
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.get(new A(), 'other'), new A().size)
--- a.mjs
export class A { other = 2; §size = 1 }
--- u.mjs
export function get(o, k) { return o[k] }
======
passes  a function is given lists to ask by a key
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.get([1, 2], 1), new A().size)
--- a.mjs
export class A { other = 2; §size = 1 }
--- u.mjs
export function get(o, k) { return o[k] }
======
asks  a member is set by a key that is put together
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
const a = new A()
u.set(a, 'si' + 'ze', 3)
console.log(a.size)
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function set(o, k, v) { o[k] = v }
======
asks  a key that is put together is looked for in what a function is given
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.has(new A(), 'si' + 'ze'))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function has(o, k) { return k in o }
======
asks  the new name may be set by a key that is put together
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
const a = new A()
u.set(a, 'fre' + 'sh', 3)
console.log(a.size)
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function set(o, k, v) { o[k] = v }
======
asks  a method by a key that is put together
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.run(new A(), 'si' + 'ze'))
--- a.mjs
export class A { §size() { return 1 } }
--- u.mjs
export function run(o, k) { return o[k]() }
======
asks Fresh  a format writes the names of fields out
--- m.go
package main

import "fmt"

type A struct{ §Size int }

func main() { fmt.Printf("%+v\\n", A{1}) }
======
asks fresh  a format writes the names of fields of what a function is given out
--- m.go
package main

import "fmt"

type A struct{ §size int }

func show(v any) string { return fmt.Sprintf("%#v", v) }

func main() { fmt.Println(show(A{1})) }
======
passes fresh  a format writes values out
--- m.go
package main

import "fmt"

type A struct{ §size int }

func main() { fmt.Printf("%v %d\\n", A{1}, A{1}.size) }
======
passes fresh  a format writes the names of fields of another type out
--- m.go
package main

import "fmt"

type A struct{ §size int }
type B struct{ other int }

func main() { fmt.Printf("%+v\\n", B{1}); fmt.Println(A{1}.size) }
======
passes Fresh  a struct without a name is written out
--- m.go
package main

import (
	"encoding/json"
	"fmt"
)

type A struct{ §Size int }

func main() {
	b, _ := json.Marshal(struct{ X int }{1})
	fmt.Println(string(b), A{2}.Size)
}
======
asks Fresh  a struct without a name that holds a value is written out
--- m.go
package main

import (
	"encoding/json"
	"fmt"
)

type A struct{ §Size int }

func main() {
	b, _ := json.Marshal(struct{ X any }{A{1}})
	fmt.Println(string(b))
}
======
asks Fresh  a list of anything is written out
--- m.go
package main

import (
	"encoding/json"
	"fmt"
)

type A struct{ §Size int }

func main() {
	b, _ := json.Marshal([]any{1, A{1}})
	fmt.Println(string(b))
}
======
asks Fresh  a list of lists is written out
--- m.go
package main

import (
	"encoding/json"
	"fmt"
)

type A struct{ §Size int }

func main() {
	b, _ := json.Marshal([][]A{{{1}}})
	fmt.Println(string(b))
}
======
asks Fresh  a parameter behind two of one type
--- m.go
package main

import (
	"example.com/p"
	"fmt"
)

type A struct{ §Size int }

func main() { fmt.Println(p.Pass(A{1})) }
--- p/q.go
package p

func Pass(v any) string { return Out(1, 2, v) }
--- p/p.go
package p

import "encoding/json"

func Out(a, b int, v any) string { b2, _ := json.Marshal(v); return string(b2) }
======
asks Fresh  a struct that holds what a function is given is written out
--- m.go
package main

import (
	"example.com/p"
	"fmt"
)

type A struct{ §Size int }

func main() { fmt.Println(p.Out(A{1})) }
--- p/p.go
package p

import "encoding/json"

type S struct{ V any }

func Out(v any) string { b, _ := json.Marshal(S{V: v}); return string(b) }
======
passes Fresh  fields of a member of a list are looked at, and no methods
--- m.go
package main

import (
	"example.com/p"
	"fmt"
)

type A struct{ Size int }

func (a A) §Go() int { return 3 }

func main() { fmt.Println(p.Names([]any{A{1}}), A{1}.Go()) }
--- p/p.go
package p

import "reflect"

func Names(vs []any) string { return reflect.TypeOf(vs[0]).Field(0).Name }
======
asks Fresh  methods of a member of a list are looked at
--- m.go
package main

import (
	"example.com/p"
	"fmt"
)

type A struct{ Size int }

func (a A) §Go() int { return 3 }

func main() { fmt.Println(p.Names([]any{A{1}}), A{1}.Go()) }
--- p/p.go
package p

import "reflect"

func Names(vs []any) string { return reflect.TypeOf(vs[0]).Method(0).Name }
======
asks Fresh  another function looks at the fields
--- m.go
package main

import (
	"example.com/p"
	"fmt"
)

type A struct{ §Size int }

func main() { fmt.Println(p.Names(A{1})) }
--- p/p.go
package p

import "reflect"

func Names(v any) string { return first(reflect.TypeOf(v)) }

func first(t reflect.Type) string { return t.Field(0).Name }
======
passes  methods are not among what an object holds
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.dump(new A()), new A().go(), u.of(A))
--- a.mjs
export class A { size = 1; §go() { return 2 } }
--- u.mjs
export function dump(v) { const r = []; for (const k in v) r.push(k); return [r, Object.keys(v), JSON.stringify(v)] }
export function of(c) { return typeof c }
======
asks  a function in a field is among what an object holds
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.dump(new A()), new A().go())
--- a.mjs
export class A { size = 1; §go = () => 2 }
--- u.mjs
export function dump(v) { return Object.keys(v) }
======
asks  methods of a literal are among what it holds
--- m.ts
interface A { §go(): number }
const a: A = { go() { return 2 } }
function dump(v: any) { return Object.keys(v) }
console.log(dump(a), a.go())
======
asks  the names of methods are asked for
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.dump(A), new A().go())
--- a.mjs
export class A { size = 1; §go() { return 2 } }
--- u.mjs
export function dump(c) { return Object.getOwnPropertyNames(c.prototype) }
======
passes  a function that asks by a key is a value where nothing has the member
--- m.mjs
import { A } from "./a.mjs"
import { pick } from "./n.mjs"
console.log(new A().size, pick([{ x: 1 }]))
--- n.mjs
import { x } from "./u.mjs"
export const pick = (rows) => rows.map(x)
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function x(o, i) { const k = "x".toLowerCase(); return o[k] }
======
asks  a function that asks by a key is a value beside what has the member
--- m.mjs
import { A } from "./a.mjs"
import { x } from "./u.mjs"
console.log([new A()].map(x))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function x(o, i) { const k = "SIZE".toLowerCase(); return o[k] }
======
passes Fresh  a template asks for another field
--- m.go
package main

import (
	"os"
	"text/template"
)

type A struct{ Other, §Size int }

func show(v any) { template.Must(template.New("t").Parse("{{.Other}}")).Execute(os.Stdout, v) }

func main() { show(A{Other: 1}); print(A{Size: 2}.Size) }
======
asks Fresh  a template asks for the field
--- m.go
package main

import (
	"os"
	"text/template"
)

type A struct{ §Size int }

func show(v any) { template.Must(template.New("t").Parse("{{with 1}}{{end}}{{`x`}}{{.Size}}")).Execute(os.Stdout, v) }

func main() { show(A{1}) }
======
passes Fresh  no methods are written out
--- m.go
package main

import (
	"encoding/json"
	"fmt"
)

type A struct{ Size int }

func (a A) §Go() int { return 3 }

var made any = A{1}

func main() { b, _ := json.Marshal(made); fmt.Printf("%s %+v %d\\n", b, made, A{1}.Go()) }
======
asks  a method asks for a member by a key that is put together
--- m.mjs
import { A } from "./a.mjs"
import { G } from "./u.mjs"
console.log(new G().get(new A(), 'si' + 'ze'))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export class G { get(o, k) { return o[k] } }
======
asks  a member by a key whose end is written
--- m.mjs
import { A } from "./a.mjs"
import { get } from "./u.mjs"
console.log(get(new A(), 'ze'))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function get(o, k) { return o[`si${k}`] }
======
asks  a member by a key, two calls below what makes the value
--- m.mjs
import { make } from "./a.mjs"
import { outer } from "./u.mjs"
console.log(outer(make(), 'SIZE'))
--- a.mjs
export class A { §size = 1 }
export function make() { return new A() }
--- u.mjs
function get(o, k) { return o[k.toLowerCase()] }
export function outer(x, k) { return get(x, k) }
======
asks  the names of the rest of what a function is given
--- m.mjs
import { A } from "./a.mjs"
import * as u from "./u.mjs"
console.log(u.dump(new A()))
--- a.mjs
export class A { other = 2; §size = 1 }
--- u.mjs
export const dump = ({ other, ...rest }) => Object.keys(rest)
======
asks Fresh  a list of whatever a function is given is written out
--- m.go
package main

import "example.com/p"

type A struct{ §Size int }

func main() { p.Send([]A{{1}}) }
--- p/p.go
package p

import (
	"encoding/json"
	"os"
)

func Send[T any](v []T) { json.NewEncoder(os.Stdout).Encode(v) }
======
asks Fresh  what others put into a variable of the package is written out
--- m.go
package main

import "example.com/p"

type A struct{ §Size int }

func main() { p.Put(A{1}); p.Send() }
--- p/p.go
package p

import (
	"encoding/json"
	"os"
)

var all []any

func Put(v any) { all = append(all, v) }

func Send() { json.NewEncoder(os.Stdout).Encode(all) }
======
asks Fresh  a function that a function makes writes out what it is given
--- m.go
package main

import "example.com/p"

type A struct{ §Size int }

func main() { p.Sender()(A{1}) }
--- p/p.go
package p

import (
	"encoding/json"
	"os"
)

func Sender() func(any) { return func(v any) { json.NewEncoder(os.Stdout).Encode(v) } }
======
asks  a function that a function makes writes out what it is given
--- m.mjs
import { A } from "./a.mjs"
import { mk } from "./u.mjs"
console.log(mk()(new A()))
--- a.mjs
export class A { §size = 1 }
--- u.mjs
export function mk() {
  return (v) => JSON.stringify(v)
}
======
asks Fresh  a list that a function is given is written out
--- m.go
package main

import "example.com/p"

func main() { p.Send([]p.A{{1}}) }
--- p/p.go
package p

import (
	"encoding/json"
	"os"
)

type A struct{ §Size int }

func Send(v []A) { json.NewEncoder(os.Stdout).Encode(v) }
======
asks Fresh  a function that gets a field from reflection tells its name
--- m.go
package main

import (
	"fmt"
	"reflect"
)

type A struct{ §Size int }

func label(f reflect.StructField) string { return f.Name }

func dump(v any) {
	t := reflect.TypeOf(v)
	for i := 0; i < t.NumField(); i++ {
		fmt.Println(label(t.Field(i)))
	}
}

func main() { dump(A{2}) }
======
asks Fresh  a type that is put into a variable is walked in another file
--- m.go
package main

import "reflect"

type A struct{ §Size int }

func main() {
	t := reflect.TypeOf(A{2})
	walk(t)
}
--- w.go
package main

import (
	"fmt"
	"reflect"
)

func walk(t reflect.Type) { fmt.Println(t.Field(0).Name) }
======
asks Fresh  a type that a value keeps is walked by its method
--- m.go
package main

import (
	"fmt"
	"reflect"
)

type A struct{ §Size int }

type W struct{ t reflect.Type }

func (w W) show() { fmt.Println(w.t.Field(0).Name) }

func main() { W{t: reflect.TypeOf(A{2})}.show() }
======
asks Fresh  a field of reflection is printed whole
--- m.go
package main

import (
	"fmt"
	"reflect"
)

type A struct{ §Size int }

func main() {
	t := reflect.TypeOf(A{2})
	fmt.Println(t.Field(0))
}
======
passes Fresh  the fields of any struct are asked for their tags alone
--- m.go
package main

import (
	"fmt"
	"reflect"
)

type A struct {
	§Size int `unit:"mm"`
}

func tags(v any) {
	t := reflect.TypeOf(v)
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		fmt.Println(f.Tag.Get("unit"), f.Anonymous, t.Field(i).Type.Kind())
	}
}

func main() { tags(A{2}) }
======
passes Fresh  the values of any struct's fields are handed on
--- m.go
package main

import (
	"fmt"
	"reflect"
)

type A struct{ §Size int }

func show(v any) {
	val := reflect.ValueOf(v)
	field := val.Field(0)
	fmt.Println(field, reflect.ValueOf(v).Elem().Field(0).Int())
}

func main() { a := A{2}; defer func() { recover() }(); show(a) }
======
asks Fresh  the type of a value is asked for the names of its fields
--- m.go
package main

import (
	"fmt"
	"reflect"
)

type A struct{ §Size int }

func show(v any) {
	val := reflect.ValueOf(v).Type()
	field := val.Field(0)
	fmt.Println(field.Name)
}

func main() { show(A{2}) }
======
asks Fresh  a field of reflection is handed on by a variable
--- m.go
package main

import (
	"fmt"
	"reflect"
)

type A struct{ §Size int }

func show(v any) {
	field := reflect.TypeOf(v).Field(0)
	fmt.Println(field)
}

func main() { show(A{2}) }
======
passes Fresh  a struct that is written out where its values are numbers and texts
--- m.go
package main

import (
	"encoding/json"
	"fmt"
)

type A struct{ §Size int }

func (a A) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Length int `json:"length"`
	}{Length: a.Size})
}

func main() { b, _ := A{2}.MarshalJSON(); fmt.Println(string(b)) }
======
asks Fresh  a struct that is written out where a value may be any
--- m.go
package main

import (
	"encoding/json"
	"fmt"
)

type A struct{ §Size int }

func show(v any) {
	b, _ := json.Marshal(struct{ Inner any }{v})
	fmt.Println(string(b))
}

func main() { show(A{2}) }
======
asks Fresh  a struct that is written out where a value is an error
--- m.go
package main

import (
	"encoding/json"
	"fmt"
)

type A struct{ §Size int }

func (a A) Error() string { return "" }

func show(e error) {
	b, _ := json.Marshal(struct{ Inner error }{e})
	fmt.Println(string(b))
}

func main() { show(A{2}) }
======
asks Fresh  a type that is named is asked for the names of its fields
--- m.go
package main

import (
	"fmt"
	"reflect"
)

type A struct{ §Size int }

type B struct{ Inner []*A }

func main() {
	t := reflect.TypeFor[A]()
	fmt.Println(t.Field(0).Name)
}
======
passes Fresh  another type that is named is asked for the names of its fields
--- m.go
package main

import (
	"fmt"
	"reflect"
)

type A struct{ §Size int }

type B struct{ Inner int }

func show(v any) { fmt.Println(reflect.TypeOf(v).Kind()) }

func main() {
	show(A{2})
	t := reflect.TypeFor[B]()
	fmt.Println(t.Field(0).Name)
}
======
asks Fresh  a type that holds a struct in lists is asked for all names
--- m.go
package main

import (
	"fmt"
	"reflect"
)

type A struct{ §Size int }

type B struct{ Inner []*A }

func main() {
	t := reflect.TypeFor[B]().Field(0).Type.Elem().Elem()
	fmt.Println(t.Field(0).Name)
}
======
asks Fresh  a type in the text of a program, which names it by its package
--- m.go
package main

import (
	"fmt"
	"strings"

	"example.com/tool"
)

func main() {
	text := `package p
import "example.com/tool"
var it = &tool.Size{}
`
	fmt.Println(strings.Contains(text, "tool."+tool.Name()))
}
--- tool/other.go
package tool

import "fmt"

type §Size struct{}

func Name() string { return fmt.Sprintf("%T", Size{})[len("tool."):] }
======
asks Fresh  a struct is made another that has the same fields
--- m.go
package main

import "fmt"

type A struct{ §Size int }

type B struct{ Size int }

func main() { b := B(A{1}); fmt.Println(b.Size) }
======
asks Fresh  a pointer to a struct is made one to another
--- m.go
package main

import "fmt"

type A struct{ §Size int }

type B struct{ Size int }

func conv(a *A) *B { return (*B)(a) }

func main() { fmt.Println(conv(&A{1}).Size) }
======
asks Fresh  a struct of another package is made one that has the same fields
--- m.go
package main

import (
	"fmt"

	"example.com/p"
)

type B struct{ Size int }

func main() { b := B(p.Make()); fmt.Println(b.Size) }
--- p/p.go
package p

type A struct{ §Size int }

func Make() A { return A{1} }
======
passes Fresh  a struct with the same field that nothing is made of
--- m.go
package main

import "fmt"

type A struct{ §Size int }

type B struct{ Size int }

func main() { a, b := A{1}, B{2}; fmt.Println(a.Size, b.Size) }
======
passes Fresh  a struct that embeds and has more on one line
--- m.go
package main

import "fmt"

type A struct{ §Size int }

type B struct { A; Wide string }

func main() { b := B{A{1}, "x"}; fmt.Println(b.Size, b.Wide) }
======
refused Fresh  a struct that embeds on one line has the name
--- m.go
package main

import "fmt"

type A struct{ §Size int }

type B struct { A; Fresh string }

func main() { b := B{A{1}, "x"}; fmt.Println(b.Size, b.Fresh) }
======
asks  a function that writes out names is a value
--- m.mjs
import { out } from "./n.mjs"
class A { §size = 1 }
console.log(out([new A()]))
--- n.mjs
export function out(vs) { return vs.map(v => v).map(JSON.stringify) }
======
asks  a function that writes out names is a value of another type
--- m.ts
class A { §size = 1 }
function out(vs: any[]) { return vs.map(JSON.stringify as any) }
console.log(out([new A()]))
======
asks  own keys of something unknown
--- m.mjs
import { out } from "./n.mjs"
class A { §size = 1 }
console.log(out(new A()))
--- n.mjs
export const out = (v) => Reflect.ownKeys(v)
======
asks  a member of its own value by a key with a hole
--- m.ts
class A {
  §onOpen() { return 1; }
  fire(word: string) { return (this as any)[`on${word}`](); }
}
console.log(new A().fire("Open"));
======
asks  a member by a key that ends with one of two texts
--- m.js
class A {
  §getSize() { return 1; }
  of(short) { return this[(short ? "fetch" : "get") + "Size"](); }
}
console.log(new A().of(false));
======
passes  a member beside those whose names have another beginning
--- m.js
class A {
  §getSize() { return 1; }
  setSize() { return 2; }
  of(word) { return this[`set${word}`]() + this["set" + word](); }
}
console.log(new A().of("Size"), new A().getSize());
======
asks  a method of a script whose value depends on what overrides it
--- m.mjs
class A { §go() { return 1 } }
class B { go() { return 2 } }
class Maker {
  make() { return new A() }
  run() { return this.make().go() }
}
class Other extends Maker {
  make() { return new B() }
}
console.log(new Other().run(), new Maker().run())
======
asks  a getter whose value depends on what overrides it
--- m.mjs
class A { §go() { return 1 } }
class B { go() { return 2 } }
class Maker {
  get it() { return new A() }
  run() { return this.it.go() }
}
class Other extends Maker {
  get it() { return new B() }
}
console.log(new Other().run(), new Maker().run())
======
asks  a static variable that classes below give another value
--- m.mjs
class A { §go() { return 1 } }
class B { go() { return 2 } }
class Maker {
  static kind = A
  static run() { return new this.kind().go() }
}
class Other extends Maker {
  static kind = B
}
console.log(Other.run(), Maker.run())
======
asks  a field that classes below give another value
--- m.mjs
class A { §go() { return 1 } }
class B { go() { return 2 } }
class Maker {
  it = new A()
  run() { return this.it.go() }
}
class Other extends Maker {
  constructor() { super(); this.it = new B() }
}
console.log(new Other().run(), new Maker().run())
======
asks  what is overridden in a class of another file that calls the base by another name
--- m.mjs
import Base from "./n.mjs"
class B { go() { return 2 } }
class Other extends Base {
  make() { return new B() }
}
console.log(new Other().run(), new Base().run())
--- n.mjs
class A { §go() { return 1 } }
export default class Maker {
  make() { return new A() }
  run() { return this.make().go() }
}
======
asks  what is overridden in a class that has the base from what a file offers as a whole
--- m.js
const Base = require("./n.js")
class B { go() { return 2 } }
class Other extends Base {
  make() { return new B() }
}
console.log(new Other().run(), new Base().run())
--- n.js
class A { §go() { return 1 } }
class Maker {
  make() { return new A() }
  run() { return this.make().go() }
}
module.exports = Maker
======
asks  what is overridden two classes below
--- m.mjs
class A { §go() { return 1 } }
class B { go() { return 2 } }
class Maker {
  make() { return new A() }
  run() { return this.make().go() }
}
class Between extends Maker {}
const Other = class extends Between {
  make() { return new B() }
}
console.log(new Other().run(), new Maker().run())
======
passes  what a value of this very class of a script gives
--- m.mjs
class A { §go() { return 1 } }
class B { go() { return 2 } }
class Maker {
  make() { return new A() }
}
class Other extends Maker {
  make() { return new B() }
}
console.log(new Maker().make().go(), new Other().make().go())
======
passes  what a method gives that is overridden with the same
--- m.mjs
class A { §go() { return 1 } }
class Maker {
  make() { return new A() }
  run() { return this.make().go() }
}
class Other extends Maker {
  make() { return new A() }
}
console.log(new Other().run(), new Maker().run())
======
asks  a method in TypeScript without a type that classes below override
--- m.ts
class A { §go() { return 1; } }
class B { go() { return 2; } }
class Maker {
  make() { return new A(); }
  run() { return this.make().go(); }
}
class Other extends Maker {
  make() { return new B(); }
}
console.log(new Other().run(), new Maker().run());
======
asks  what is overridden in a class whose base is given
--- m.mjs
class A { §go() { return 1 } }
class B { go() { return 2 } }
class Maker {
  make() { return new A() }
  run() { return this.make().go() }
}
const mixed = (Base) => class extends Base {
  make() { return new B() }
}
console.log(new (mixed(Maker))().run(), new Maker().run())
======
asks  a method beside that of a class whose base is given
--- m.mjs
class A {
  §go() { return 1 }
  run() { return this.go() }
}
function mixed(Base) {
  return class extends Base {
    go() { return 2 }
  }
}
console.log(new (mixed(A))().run(), new A().run())
======
asks  what is overridden in a class without a name
--- m.mjs
class A { §go() { return 1 } }
class B { go() { return 2 } }
class Maker {
  make() { return new A() }
  run() { return this.make().go() }
}
const run = (it) => it.run()
console.log(run(new (class extends Maker { make() { return new B() } })()), new Maker().run())
======
passes  what is overridden in a class without a name that is below another
--- m.mjs
class A { §go() { return 1 } }
class B { go() { return 2 } }
class Maker {
  make() { return new A() }
  run() { return this.make().go() }
}
class Side {
  make() { return new A() }
}
const others = [class extends Side { make() { return new B() } }]
console.log(new Maker().run(), others.length)
"""

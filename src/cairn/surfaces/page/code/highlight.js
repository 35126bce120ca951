// Tokens of code, enough to read it by: comments, strings, numbers, words of the language, names.

const C_WORDS =
  "break case catch class const continue default delete do else enum export extends extern final finally for goto if implements import in instanceof interface let namespace new null override package private protected public register return sizeof static struct super switch template this throw throws true false try typedef typename union using var virtual void volatile while yield async await auto bool char double float int long short signed unsigned nullptr constexpr function of typeof undefined type as from readonly declare abstract internal sealed string number boolean";
const WORDS = {
  python:
    "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match case None nonlocal not or pass raise return True try while with yield self cls",
  go: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota",
  rust: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
  ruby: "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield require attr_reader attr_accessor",
  bash: "if then else elif fi for while until do done case esac in function return local export readonly shift set unset exit trap source true false",
  sql: "select from where and or not null insert into values update set delete create table view index drop alter add primary key foreign references join left right inner outer on group by order having limit offset union all distinct as case when then else end begin commit with returning default unique check",
  lua: "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
  haskell:
    "case class data deriving do else if import in infix infixl infixr instance let module newtype of then type where qualified",
  elixir:
    "def defp defmodule defmacro defstruct do end if else case cond when fn with for import alias use require receive after rescue true false nil and or not in",
  swift: `${C_WORDS} func guard let nil self Self protocol extension init deinit inout mutating where associatedtype some any defer repeat`,
  kotlin: `${C_WORDS} fun val when is object companion data sealed suspend init by lazy open`,
};
const FAMILY = {
  hash: "python ruby bash perl r elixir julia yaml toml make dockerfile cmake ini nix powershell ignore starlark hcl graphql tcl nim gettext",
  dash: "sql lua haskell elm vhdl",
  semi: "clojure scheme racket",
  percent: "latex erlang",
  markup: "html xml",
  prose: "markdown text diff other json",
};
const DEFINES =
  /^(def|class|func|fn|function|struct|enum|trait|interface|type|module|mod|defp|defmodule|defmacro|protocol|object|fun|impl)$/;
const COMMENT = {
  hash: "#[^\\n]*",
  dash: "--[^\\n]*|\\{-[^]*?(?:-\\}|(?![^]))|/\\*[^]*?(?:\\*/|(?![^]))",
  semi: ";[^\\n]*",
  percent: "%[^\\n]*",
  markup: "<!--[^]*?(?:-->|(?![^]))",
  slash: "//[^\\n]*|/\\*[^]*?(?:\\*/|(?![^]))",
};
const TRIPLE = "\"\"\"[^]*?(?:\"\"\"|(?![^]))|'''[^]*?(?:'''|(?![^]))";
const STRING = "\"(?:[^\"\\\\\\n]|\\\\[^])*\"?|'(?:[^'\\\\\\n]|\\\\[^])*'?";
const LIFETIME = "'[A-Za-z_]\\w*(?!')";
const REST = "(?<m>\\b\\d[\\w.]*)|(?<n>[\\p{L}_$][\\p{L}\\p{N}_$]*)|\\s+|[^]";
const made = new Map();

/** Tokens [kind, text] by line; kinds: c comment, s string, m number, k word of the language, d defined, f called, n name, "" else. */
export function highlighted(text, language) {
  return [...readLines(text, language)];
}

/** The same, line by line: whoever has a long text reads on when there is time. */
export function* readLines(text, language) {
  const { pattern, words } = rules(language);
  let line = [];
  let before = "";
  for (const match of text.matchAll(pattern)) {
    let kind =
      match.groups.c !== undefined ? "c" : match.groups.s !== undefined ? "s" : match.groups.m !== undefined ? "m" : "";
    if (match.groups.n !== undefined) {
      const after = text.charAt(match.index + match[0].length);
      kind = words.has(language === "sql" ? match[0].toLowerCase() : match[0])
        ? "k"
        : DEFINES.test(before)
          ? "d"
          : after === "("
            ? "f"
            : "n";
    }
    if (match[0].trim()) before = match[0];
    for (const [at, part] of match[0].split("\n").entries()) {
      if (at) {
        yield line;
        line = [];
      }
      if (!part) continue;
      const last = line[line.length - 1];
      if (last && last[0] === "" && kind === "") last[1] += part;
      else line.push([kind, part]);
    }
  }
  yield line;
}

/** Whether a kind of token is a name that one can ask about. */
export function isName(kind) {
  return kind === "n" || kind === "f" || kind === "d";
}

function rules(language) {
  const known = made.get(language);
  if (known) return known;
  const family = Object.keys(FAMILY).find((each) => FAMILY[each].split(" ").includes(language)) ?? "slash";
  const strings =
    family === "prose" || family === "markup"
      ? '"(?:[^"\\\\\\n]|\\\\[^\\n])*"'
      : family === "slash"
        ? `${language === "rust" ? `${LIFETIME}|` : ""}${STRING}|\`(?:[^\`\\\\]|\\\\[^])*\`?`
        : `${TRIPLE}|${STRING}`;
  const prose =
    language === "markdown"
      ? "(?<c>^#{1,6} [^\\n]*)|(?<s>`[^`\\n]*`)"
      : `(?<c>(?!))|(?<s>${language === "json" ? strings : "(?!)"})`;
  const head = family === "prose" ? prose : `(?<c>${COMMENT[family]})|(?<s>${strings})`;
  const words =
    family === "prose" || family === "markup"
      ? language === "json"
        ? "true false null"
        : ""
      : (WORDS[language] ?? C_WORDS);
  const found = { pattern: new RegExp(`${head}|${REST}`, "gmu"), words: new Set(words.split(" ")) };
  made.set(language, found);
  return found;
}

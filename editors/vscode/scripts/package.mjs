// Writes the .vsix, beside the wheels or where the first argument says.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { pack } from "./vsix.mjs";

const { version, bytes } = await pack();
const target = process.argv[2] ?? `../../dist/cairn-${version}.vsix`;
await mkdir(dirname(target), { recursive: true });
await writeFile(target, bytes);
console.log(`${target}: ${Math.ceil(bytes.length / 1024)} kB`);

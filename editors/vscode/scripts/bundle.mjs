// Bundles the extension for VS Code's node and the page of the search view for its browser, with the licences of what
// goes along.
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

await rm("dist", { recursive: true, force: true });
const common = { bundle: true, minify: true, metafile: true, legalComments: "none", logLevel: "warning" };
const built = await Promise.all([
  build({ ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", platform: "node", format: "cjs", target: "node20", external: ["vscode"] }),
  build({ ...common, entryPoints: ["src/webview/search.ts"], outfile: "dist/search.js", platform: "browser", format: "iife", target: "es2022" }),
]);
await copyFile("media/search.css", "dist/search.css");

const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
const packages = new Set(inputs.flatMap((input) => input.match(/.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []));
const notices = [];
for (const folder of [...packages].sort()) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder)).filter((file) => /^licen[cs]e/i.test(file));
  if (!files.length) throw new Error(`${name} has no licence to go along with it`);
  notices.push(`${name} ${version} (${license})\n\n${(await readFile(join(folder, files[0]), "utf8")).trim()}\n`);
}
await writeFile("dist/NOTICES.txt", notices.join(`\n${"-".repeat(80)}\n\n`));

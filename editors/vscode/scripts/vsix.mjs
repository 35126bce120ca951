// The .vsix: a zip with the extension's files and two that say what they are. The same files give the same bytes.
import { readFile } from "node:fs/promises";
import { zipSync } from "fflate";

// Exactly what an installed extension needs; test/package.test.ts holds the package against this list.
const FILES = {
  "package.json": "package.json",
  "README.md": "README.md",
  "LICENSE.txt": "../../LICENSE",
  "NOTICES.txt": "dist/NOTICES.txt",
  "dist/extension.js": "dist/extension.js",
  "dist/search.js": "dist/search.js",
  "dist/search.css": "dist/search.css",
  "media/cairn.svg": "media/cairn.svg",
  "media/icon.png": "media/icon.png",
};

// The earliest date that a zip can hold: no time of day gets into the package.
const MTIME = new Date(1980, 0, 1);

const escaped = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);

function manifest({ name, displayName, description, version, publisher, categories, keywords, engines, extensionKind, icon }) {
  const property = (id, value) => `      <Property Id="Microsoft.VisualStudio.${id}" Value="${escaped(value)}" />`;
  const asset = (type, path) => `    <Asset Type="Microsoft.VisualStudio.${type}" Path="extension/${path}" Addressable="true" />`;
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escaped(name)}" Version="${escaped(version)}" Publisher="${escaped(publisher)}" />
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Tags>${escaped(keywords.join(","))}</Tags>
    <Categories>${escaped(categories.join(","))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/${escaped(icon)}</Icon>
    <Properties>
${property("Code.Engine", engines.vscode)}
${property("Code.ExtensionDependencies", "")}
${property("Code.ExtensionPack", "")}
${property("Code.ExtensionKind", extensionKind.join(","))}
${property("Code.LocalizedLanguages", "")}
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
${asset("Code.Manifest", "package.json")}
${asset("Services.Content.Details", "README.md")}
${asset("Services.Content.License", "LICENSE.txt")}
${asset("Services.Icons.Default", icon)}
  </Assets>
</PackageManifest>
`;
}

const TYPES = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${[
  ["json", "application/json"], ["vsixmanifest", "text/xml"], ["md", "text/markdown"], ["txt", "text/plain"],
  ["js", "application/javascript"], ["css", "text/css"], ["svg", "image/svg+xml"], ["png", "image/png"],
].map(([end, type]) => `<Default Extension=".${end}" ContentType="${type}" />`).join("")}</Types>
`;

// What is for building only says nothing to VS Code.
function shipped(own) {
  const { scripts, devDependencies, dependencies, ...rest } = own;
  return `${JSON.stringify(rest, null, 2)}\n`;
}

export async function pack() {
  const own = JSON.parse(await readFile("package.json", "utf8"));
  const text = new TextEncoder();
  const files = { "[Content_Types].xml": text.encode(TYPES), "extension.vsixmanifest": text.encode(manifest(own)) };
  for (const [name, source] of Object.entries(FILES)) {
    files[`extension/${name}`] = source === "package.json" ? text.encode(shipped(own)) : new Uint8Array(await readFile(source));
  }
  return { version: own.version, bytes: zipSync(files, { level: 9, mtime: MTIME }) };
}

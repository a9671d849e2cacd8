import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { authoringFile } from "./authoring-file.ts";
import type { Compiled } from "./bundle.ts";

export const INSTALL_BUNDLER = "npm install --prefix ~/.amplihack/hooks esbuild";

const IMPORT = /\bfrom\s*(["'])([^"'\n]+)\1|\bimport\s*\(?\s*(["'])([^"'\n]+)\3/g;

/**
 * One source without a bundler: JavaScript as it is, TypeScript where this Node can take the types out, imports of
 * `amplihack/hooks` and of Node alone. It runs on Node, never in the native program. Throws, saying what to install.
 */
export function compileAlone(source: string): Compiled {
  const text = readFileSync(source, "utf8");
  const isTyped = /\.[mc]?ts$/.test(extname(source));
  const code = isTyped ? withoutTypes(text, source) : text;
  const [foreign] = foreignImports(code);
  if (foreign !== undefined)
    throw new Error(`it imports "${foreign}", which takes a bundler: ${INSTALL_BUNDLER}`);
  const own = pathToFileURL(authoringFile()).href;
  return {
    code: code.replace(/(["'])amplihack\/hooks\1/g, JSON.stringify(own)),
    isPortable: false,
    inputs: [source],
  };
}

/** What a source imports besides `amplihack/hooks` and what is part of Node. */
export function foreignImports(code: string): readonly string[] {
  return [...code.matchAll(IMPORT)]
    .map(([, , first, , second]) => first ?? second ?? "")
    .filter(specifier => specifier !== "amplihack/hooks" && !specifier.startsWith("node:"));
}

function withoutTypes(text: string, source: string): string {
  const strip: unknown = Reflect.get(nodeModule, "stripTypeScriptTypes");
  if (typeof strip !== "function")
    throw new Error(
      `${source} is TypeScript, and this Node cannot take types out by itself: ${INSTALL_BUNDLER}`,
    );
  return String(strip(text));
}

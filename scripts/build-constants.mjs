// What the build and the test runner put into the source text: the version, the style and script of the dashboard's pages, whose files stay ordinary CSS and JavaScript that tools understand, and what stands around a user's hook.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const read = path => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

/** @returns {Record<string, string>} the `define` option of esbuild and vite */
export function buildConstants() {
  const page = {
    style: joinFiles("page.css"),
    script: joinFiles("page.js"),
  };
  return {
    __AMPLIHACK_VERSION__: JSON.stringify(JSON.parse(read("package.json")).version),
    // A text stands where it is used; an object would become a module that every entry imports.
    __AMPLIHACK_PAGE__: JSON.stringify(JSON.stringify(page)),
    __AMPLIHACK_REALM__: JSON.stringify(joinRealm()),
  };
}

/** The file of the dashboard's pages with all that it imports. */
function joinFiles(name) {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL(`../src/dashboard/page/${name}`, import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

/** What stands around a user's hook inside its own realm. */
function joinRealm() {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL("../src/hooks/user/realm.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "realm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
  return outputFiles[0].text.trim();
}

// What the build and the test runner put into the source text: the version, the public key of releases, and the
// dashboard's page, whose three files stay ordinary HTML, CSS and JavaScript that tools understand.
import { readFileSync } from "node:fs";

const read = path => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

/** @returns {Record<string, string>} the `define` option of esbuild and vite */
export function buildConstants() {
  const page = Object.fromEntries(
    Object.entries({ markup: "page.html", style: "page.css", script: "page.js" }).map(([part, file]) => [
      part,
      read(`src/dashboard/page/${file}`),
    ]),
  );
  return {
    __AMPLIHACK_VERSION__: JSON.stringify(JSON.parse(read("package.json")).version),
    __AMPLIHACK_RELEASE_KEY__: JSON.stringify(process.env.AMPLIHACK_RELEASE_KEY ?? ""),
    __AMPLIHACK_PAGE__: JSON.stringify(page),
  };
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkFileName, containPath, resolvePath } from "../../src/state/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { runs } from "../generated-inputs.ts";

const { files } = createMemorySystem({
  files: {
    "/project/src/a": "",
    "/project/out": { target: "/outside" },
    "/project/dangling": { target: "../outside/new" },
    "/project/inner": { target: "src" },
    "/project/up": { target: "src/../.." },
    "/project/loop": { target: "loop" },
    "/outside/x": "",
    "/projects/y": "",
    "/alias": { target: "/project" },
  },
});

describe("a path is contained in a root", () => {
  it.each([
    ["/project", "/project"],
    ["/project/src/a", "/project/src/a"],
    ["/project/new/file", "/project/new/file"],
    ["/project/inner/a", "/project/src/a"],
    ["/alias/src/a", "/project/src/a"],
    ["/project/src/../src/./a", "/project/src/a"],
    ["/project/inner/../src", "/project/src"],
    ["/project/out/../project/src", "/project/src"],
  ])("%s, as %s", (path, resolved) => {
    expect(containPath(files, "/project", path)).toBe(resolved);
    expect(containPath(files, "/alias", path)).toBe(resolved);
  });

  it.each([
    "/outside/x",
    "/projects/y",
    "/project/../outside",
    "/project/out/x",
    "/project/dangling",
    "/project/up/outside",
    "/",
  ])("but not %s", path => {
    expect(() => containPath(files, "/project", path)).toThrow(
      expect.objectContaining({ code: "outside-root", subject: path }),
    );
  });

  it("is not decided for loops and relative paths", () => {
    expect(() => containPath(files, "/project", "/project/loop/x")).toThrow(/ELOOP/);
    expect(() => containPath(files, "/project", "src")).toThrow(/EINVAL/);
  });
});

describe("resolving a path that exists", () => {
  const name = fc.constantFrom("a", "b", "c");
  const route = fc
    .array(fc.constantFrom("a", "b", "c", ".", ".."), { minLength: 1, maxLength: 4 })
    .map(parts => parts.join("/"));
  const link = fc.record({
    directory: fc.constantFrom("/", "/a", "/b/c"),
    name,
    target: route,
    isRooted: fc.boolean(),
  });

  it("gives what the file system gives, through any links", () => {
    fc.assert(
      fc.property(fc.array(link, { maxLength: 8 }), route, (links, path) => {
        const system = createMemorySystem({ cwd: "/b/c" });
        system.files.makeDirectory("/a", 0o755);
        for (const { directory, name, target, isRooted } of links) {
          const at = `${directory}/${name}`;
          if (system.files.inspect(at) === undefined)
            system.files.symlink(isRooted ? `/${target}` : target, at);
        }
        let real: string;
        try {
          real = system.files.realPath(`/${path}`);
        } catch {
          return;
        }
        expect(resolvePath(system.files, `/${path}`)).toBe(real);
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe("a plain file name", () => {
  it.each(["report.md", ".hidden", "a b"])("is accepted: %j", name => {
    expect(checkFileName(name)).toBe(name);
  });

  it.each(["", ".", "..", "a/b", "a\\b", "..x", "a\0"])("is not %j", name => {
    expect(() => checkFileName(name)).toThrow(expect.objectContaining({ code: "unsafe-name" }));
  });
});

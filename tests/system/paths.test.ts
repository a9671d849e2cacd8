import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ancestors,
  basename,
  components,
  dirname,
  expandHome,
  extension,
  isInside,
  join,
  normalise,
  relative,
  resolve,
} from "../../src/system/paths.ts";

const part = fc.constantFrom("", ".", "..", "a", "b", "a.b", ".c", "ä", "a b");
const anyPath = fc
  .tuple(fc.boolean(), fc.array(part, { maxLength: 6 }))
  .map(([isAbsolute, parts]) => (isAbsolute ? "/" : "") + parts.join("/"));
const absolutePath = fc.array(part, { maxLength: 6 }).map(parts => `/${parts.join("/")}`);

const withoutSlash = (path: string) => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);

describe("paths agree with the POSIX rules of Node", () => {
  it("when normalised", () => {
    fc.assert(
      fc.property(anyPath, path => {
        expect(normalise(path)).toBe(withoutSlash(posix.normalize(path)));
      }),
    );
  });

  it("when joined and resolved", () => {
    fc.assert(
      fc.property(absolutePath, anyPath, (directory, path) => {
        expect(join(directory, path)).toBe(withoutSlash(posix.join(directory, path)));
        expect(resolve(directory, path)).toBe(posix.resolve(directory, path));
      }),
    );
  });

  it("when taken apart, once normalised", () => {
    fc.assert(
      fc.property(anyPath, path => {
        const clean = normalise(path);
        expect(dirname(path)).toBe(posix.dirname(clean));
        expect(basename(path)).toBe(posix.basename(clean));
      }),
    );
  });

  it("when made relative", () => {
    fc.assert(
      fc.property(absolutePath, absolutePath, (from, to) => {
        expect(relative(from, to)).toBe(posix.relative(from, to) || ".");
      }),
    );
  });
});

describe("containment is judged part by part", () => {
  it.each([
    ["/a", "/a", true],
    ["/a", "/a/b", true],
    ["/a/", "/a//b/", true],
    ["/a", "/ab", false],
    ["/a/b", "/a", false],
    ["/a", "/a/../b", false],
    ["/a", "/a/b/../../c", false],
    ["/", "/anything", true],
    ["/a", "a/b", false],
    ["a", "a/b", true],
    [".", "../a", false],
    ["..", "../a", true],
    ["..", "../../a", false],
  ])("isInside(%j, %j) is %j", (directory, path, expected) => {
    expect(isInside(directory, path)).toBe(expected);
  });

  it("holds for a directory and everything joined to it without `..`", () => {
    fc.assert(
      fc.property(absolutePath, fc.array(fc.constantFrom("x", "y"), { maxLength: 3 }), (directory, below) => {
        expect(isInside(directory, join(directory, ...below))).toBe(true);
        if (below.length > 0) expect(isInside(join(directory, ...below), directory)).toBe(false);
      }),
    );
  });
});

describe("small questions about a path", () => {
  it.each([
    ["/a/b.txt", ".txt"],
    ["/a/.profile", ""],
    ["/a/b.", ""],
    ["/a.b/c", ""],
    ["x.tar.gz", ".gz"],
  ])("the extension of %j is %j", (path, expected) => {
    expect(extension(path)).toBe(expected);
  });

  it("lists a directory and all above it", () => {
    expect(ancestors("/a/b/c")).toEqual(["/a/b/c", "/a/b", "/a", "/"]);
    expect(ancestors("/")).toEqual(["/"]);
  });

  it("has components", () => {
    expect(components("/a//b/./c/../d")).toEqual(["a", "b", "d"]);
    expect(components(".")).toEqual([]);
  });

  it.each([
    ["~", "/home/u"],
    ["~/x/../y", "/home/u/y"],
    ["~other/x", "~other/x"],
    ["/x/~", "/x/~"],
  ])("expands %j to %j", (path, expected) => {
    expect(expandHome(path, "/home/u")).toBe(expected);
  });

  it("leaves `~` alone where no home is known", () => {
    expect(expandHome("~/x", undefined)).toBe("~/x");
    expect(expandHome("~/x", "")).toBe("~/x");
  });
});

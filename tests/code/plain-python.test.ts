import { describe, expect, it } from "vitest";
import { isTakenForModule, readPlainPython } from "../../src/code/index.ts";

describe("a program of which every word is known", () => {
  it.each([
    `from pathlib import Path\np = Path("src/index.ts")\ns = p.read_text()\ns = s.replace("a", "b")\np.write_text(s)`,
    `import re\npath = "src/index.ts"\nwith open(path) as f:\n    text = f.read()\ntext = re.sub(r"export \\{\\}", "x", text)\nwith open(path, "w") as f:\n    f.write(text)\nprint("done")`,
    `import json; d = json.load(open('package.json')); print(d.get('scripts'))`,
    `print(1+1)`,
    `import sys; print(sys.version)`,
    `import sys, json; print(json.load(sys.stdin)['name'])`,
    `import json\nwith open("a.json") as f, open("b.json", "w") as g:\n    d = json.load(f)\n    for k, v in sorted(d.items(), key=lambda kv: kv[1]):\n        print(f"{k}: {v:>10}")\n    json.dump(d, g, indent=2)`,
    `for name in ["a.ts", "b.ts"]:\n    s = open(name).read()\n    open(name, "w").write(s.upper())`,
    `import pathlib\nfor n in ["a", "b"]:\n    p = pathlib.Path("src") / "x"\n    print(p.exists())`,
    `from collections import Counter\nc = Counter(l.strip() for l in open("x"))\nprint(c.most_common(3))`,
    `def main():\n    x = {}\n    x["a"] = 1\n    x["a"] += 2\n    print(x)\nif __name__ == "__main__":\n    main()`,
    `s = open("a.txt").read()\nold = """x\ny"""\nassert old in s\ns = s.replace(old, "z", 1)\nopen("a.txt","w").write(s)`,
    `import os\nprint(os.path.exists("x"), os.getcwd())`,
  ])("is read to its end: %s", source => expect(readPlainPython(source)).toBeDefined());

  it("tells the files that it reads and writes", () => {
    const source = `from pathlib import Path
for name in ["a", "b"]:
    text = open(name).read()
    (Path("out") / "all.txt").write_text(text)
with open("log", "a+") as log: log.write("x")`;
    expect(readPlainPython(source)).toEqual({ reads: ["a", "b"], writes: ["out/all.txt", "log"] });
  });
});

describe("a program with a word that is not known", () => {
  it.each([
    `import os; os.system("x")`,
    `open(x)`,
    `__import__("os").system("x")`,
    `eval("1")`,
    `getattr(str, "x")`,
    `p = "a"\n(p, q) = ("b", 1)\nopen(p, "w")`,
    `p = "a"\ndef f(q: str, p): open(p, "w")\nf(1, "b")`,
    `p="a"\nfor p in x: open(p)`,
    `from pathlib import Path\nPath("a").replace("b")`,
    `from pathlib import Path\nPath("a").unlink()`,
    `import json\njson.os.system("x")`,
    `p = "a"\n[p] = ["b"]\nopen(p)`,
    `p = "a"\nmatch = 1\ncase = 2\nmatch (x):\n  case (p): open(p)`,
    `a = [ "x" ]\na.append("/etc")\nfor p in a: open(p, "w")`,
    `x = 1\nf"{x:{{exec(p)}}}"`,
    `class A: pass`,
    `@x\ndef f(): pass`,
    `print("{0.__class__}".format(1))`,
    `open("a", opener=f)`,
    `open("a", "w" if x else "r")`,
    `map(open, ["a"])`,
    `import os\nx = os\nx.replace("a","b")`,
    `from os import system`,
    `import subprocess`,
    `# coding: utf-7\nprint(1)`,
    `for p in ("abc"): open(p)`,
    `p = "a"\nlambda p: open(p)`,
    `import sys\nsys.path.insert(0, ".")`,
    `import json as os\nos.system("x")`,
    `(p) += 1`,
    `global x`,
    `p = "a"\np += "b"\nopen(p)`,
    `p = "a"\nwith x as p: open(p)`,
    `import shutil`,
    `print(open("a").read().__class__)`,
    `from os import path as p\np.os.system("x")`,
    `exec ("x")`,
    `x = exec`,
    `import os, sys\nos.environ`,
    `type X = int`,
    `p = "a"\nfor q, p in z: open(p, "w")`,
    `p = "a"\n[open(p) for p in z]`,
    `p = "a"\nimport json as p\nopen(p)`,
    `p = "a" "b"\nopen(p)`,
    `p = "a" + x\nopen(p)`,
    `p = "\\x2fetc"\nopen(p)`,
    `ｅｘｅｃ("x")`,
    `p = "a"\nprint(p := "/etc/x")\nopen(p, "w")`,
    `x.copy("b")`,
    `p: str = "a"\nopen(p)`,
    `p = q = "a"\nopen(p)`,
    `f = lambda x=[1:2], p=1: open(p)\np = "a"`,
  ])("is none: %s", source => expect(readPlainPython(source)).toBeUndefined());
});

it("is not known where a file may take the place of a module", () =>
  expect(
    ["json.py", "re", "enum.cpython-311-x86_64-linux-gnu.so", "setup.py", "src"].map(isTakenForModule),
  ).toEqual([true, true, true, false, false]));

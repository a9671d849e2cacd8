import { describe, expect, it } from "vitest";
import { readCode } from "../../src/code/read-code.ts";
import { readPythonModule } from "../../src/programs/records/python-modules.ts";
import type { CodeCall, Language } from "../../src/shell/facts.ts";
import { concatenate, text, unknown } from "../../src/shell/value.ts";
import { callsOf, contextOf, read } from "./reading.ts";

describe("code with parts that only the run decides", () => {
  const hole = unknown("any", "$DIR");

  it("keeps an unknown part of a string as an unknown part of the path", () => {
    const code = concatenate([text("import shutil; shutil.rmtree('/data/"), hole, text("')")]);
    expect(callsOf("python", code)).toEqual(["delete -r /data/?"]);
  });

  it("keeps what kind of unknown it is", () => {
    const code = concatenate([
      text("import shutil; shutil.rmtree('/tmp/x-"),
      unknown("token", "$$"),
      text("')"),
    ]);
    expect(callsOf("python", code)).toEqual(["delete -r /tmp/x-#"]);
  });

  it("takes an unknown part outside of strings for a name nobody knows", () => {
    const code = concatenate([text("import shutil; shutil.rmtree("), hole, text(")")]);
    expect(callsOf("python", code)).toEqual(["delete -r ?"]);
  });

  it("tells several unknown parts apart", () => {
    const code = concatenate([
      text("fs.renameSync('"),
      unknown("any", "$A"),
      text("', '/x/"),
      unknown("token", "$B"),
      text("')"),
    ]);
    expect(callsOf("javascript", code)).toEqual(["move ? -> /x/#"]);
  });

  it("does not take private characters of the text for unknown parts", () => {
    expect(callsOf("python", "import shutil; shutil.rmtree('/\ue000')")).toEqual(["delete -r /\ufffd"]);
  });

  it("finds nothing in code that is wholly unknown", () => {
    expect(read("python", hole)).toEqual({ calls: [], isComplete: true });
  });
});

describe("what the program knows about its surroundings", () => {
  it("sees its arguments", () => {
    const circumstances = { arguments: [text("/etc"), text("b")] };
    expect(callsOf("python", "import shutil, sys; shutil.rmtree(sys.argv[1])", circumstances)).toEqual([
      "delete -r /etc",
    ]);
    expect(
      callsOf("python", "import shutil, sys\nfor p in sys.argv[1:]: shutil.rmtree(p)", circumstances),
    ).toEqual(["delete -r /etc", "delete -r b"]);
    expect(callsOf("javascript", "fs.rmSync(process.argv[1], { recursive: true })", circumstances)).toEqual([
      "delete -r /etc",
    ]);
    expect(callsOf("perl", "unlink $ARGV[0]; unlink shift", circumstances)).toEqual([
      "delete /etc",
      "delete /etc",
    ]);
    expect(callsOf("ruby", "ARGV.each { |a| FileUtils.rm_rf a }", circumstances)).toEqual([
      "delete -r /etc",
      "delete -r b",
    ]);
  });

  it("sees what it reads on stdin", () => {
    const circumstances = { stdin: text("import os; os.system('id')", [{ kind: "network", invocation: 3 }]) };
    expect(callsOf("python", "import sys; exec(sys.stdin.read())", circumstances)).toEqual([
      "shell id",
      "evaluate python: import os; os.system('id')[network]",
    ]);
    expect(callsOf("awk", "{system($0)}", { stdin: text("rm -rf /\nid\n") })).toEqual([
      "shell rm -rf /",
      "shell id",
    ]);
    expect(callsOf("awk", '{system("rm -rf " $2)}', { stdin: text("a /etc\n") })).toEqual([
      "shell rm -rf /etc",
    ]);
    expect(callsOf("sed", "e", { stdin: text("rm -rf /") })).toEqual(["shell rm -rf /"]);
  });

  it("believes variables that the command sets before the user's own", () => {
    const circumstances = { environment: { HOME: "/tmp/home", TARGET: "/etc" } };
    expect(
      callsOf("python", "import os, shutil; shutil.rmtree(os.environ['TARGET'])", circumstances),
    ).toEqual(["delete -r /etc"]);
    expect(
      callsOf("python", "import os, shutil; shutil.rmtree(os.path.expanduser('~'))", circumstances),
    ).toEqual(["delete -r /tmp/home"]);
    expect(callsOf("python", "import os, shutil; shutil.rmtree(os.environ['OTHER'])", circumstances)).toEqual(
      ["delete -r ?[environment OTHER]"],
    );
  });

  it("is told where in the text a call stands", () => {
    const [call] = read("python", "import os\n\nos.system('id')").calls;
    expect(call?.at).toBe(11);
  });

  it("puts calls of evaluated text at the place of the evaluation", () => {
    const [call] = read("python", "import os\nexec(\"      os.system('id')\")").calls;
    expect(call?.at).toBe(10);
  });

  it("names the invocation in origins it makes", () => {
    const reading = readCode(
      "python",
      text("import urllib.request as r; exec(r.urlopen('http://x').read())"),
      contextOf(),
      42,
    );
    const evaluated = reading.calls.find(
      (call): call is Extract<CodeCall, { kind: "evaluate" }> => call.kind === "evaluate",
    );
    expect(evaluated?.code.origins).toEqual([{ kind: "network", invocation: 42 }]);
  });
});

describe("python -m", () => {
  it.each<[string, string[], string[]]>([
    ["pip", ["install", "x"], ["spawn"]],
    ["timeit", ["-n", "1", "import os; os.system('id')"], ["evaluate"]],
    ["venv", ["--clear", "/"], ["delete"]],
    ["venv", [".venv"], []],
    ["zipfile", ["-e", "a.zip", "/etc"], ["spawn"]],
    ["http.server", ["8000"], []],
    ["json.tool", [".env"], ["read"]],
  ])("%s %j", (module, words, kinds) => {
    expect(
      readPythonModule(
        module,
        words.map(word => text(word)),
      ).map(call => call.kind),
    ).toEqual(kinds);
  });
});

describe("values that depend on a condition", () => {
  it.each<[Language, string]>([
    ["python", "p = 'a'\nif x:\n  p = 'b'\nimport os; os.remove(p)"],
    ["javascript", "let p = 'a'; if (x) { p = 'b' } fs.rmSync(p)"],
    ["perl", "my $p = 'a'; if ($x) { $p = 'b' } unlink $p"],
    ["php", "$p = 'a'; if ($x) { $p = 'b'; } unlink($p);"],
    ["ruby", "p = 'a'\nif x\n  p = 'b'\nend\nFile.delete(p)"],
    ["lua", "local p = 'a' if x then p = 'b' end os.remove(p)"],
    ["powershell", "$p = 'a'; if ($x) { $p = 'b' }; Remove-Item $p"],
  ])("are all told: %s", (language, code) => {
    expect(callsOf(language, code)).toEqual(["delete a", "delete b"]);
  });

  it("are narrowed down by the condition, and only inside it", () => {
    const code =
      "for (const f of fs.readdirSync('.')) { if (f.endsWith('.log')) { fs.unlinkSync(f) } fs.rmSync(f) }";
    expect(callsOf("javascript", code)).toEqual(["delete *.log", "delete *"]);
  });

  it("are not narrowed down by its opposite or by one of several", () => {
    const negated = "import os\nfor f in os.listdir('.'):\n  if not f.endswith('.log'): os.remove(f)";
    const either = "import os\nfor f in os.listdir('.'):\n  if x or f.endswith('.log'): os.remove(f)";
    expect(callsOf("python", negated)).toEqual(["delete *"]);
    expect(callsOf("python", either)).toEqual(["delete *"]);
  });
});

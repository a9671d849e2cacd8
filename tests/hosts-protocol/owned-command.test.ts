import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownedCommand, ownedHandler } from "../../src/exports/hosts.ts";
import { quoteWord } from "../../src/system/processes.ts";

describe("commands that are ours", () => {
  it.each([
    ["/home/x/.amplihack/.claude/bin/amplihack-hooks stop", "stop"],
    ["'/home/o x/bin/amplihack-hooks' pre-tool-use", "pre-tool-use"],
    ['"$HOME/.amplihack/.claude/bin/amplihack-hooks" stop', "stop"],
    ["~/.local/bin/amplihack-hooks session-stop --host codex", "session-stop"],
    ["${HOME}/bin/amplihack-hooks stop", "stop"],
    ["/home/x\\ y/amplihack-hooks stop", "stop"],
    ["DEBUG=1 /x/amplihack-hooks stop", "stop"],
    ["amplihack-hooks", undefined],
  ])("%s", (command, subcommand) => {
    expect(ownedCommand(command)).toMatchObject({ kind: "program", subcommand });
  });

  it.each([
    ["~/.claude/tools/amplihack/hooks/stop.py", "stop"],
    ["$HOME/.amplihack/.claude/tools/amplihack/hooks/session_stop.py", "session-stop"],
    ["python3 /home/x/.claude/tools/amplihack/hooks/pre_tool_use.py", "pre-tool-use"],
    ['python3 "/home/x y/.claude/tools/amplihack/hooks/user_prompt_submit.py"', "user-prompt-submit"],
    ["tools/amplihack/hooks/pre_compact.py", "pre-compact"],
  ])("%s of an earlier version", (command, subcommand) => {
    expect(ownedCommand(command)).toMatchObject({ kind: "legacy", subcommand });
  });

  it.each([
    "/work/amplihack-notes/check.sh",
    "/x/amplihack-hooks.sh stop",
    "/x/my-amplihack-hooks stop",
    "echo /x/amplihack-hooks stop",
    "bash -c '/x/amplihack-hooks stop'",
    "~/.claude/tools/xpia/hooks/pre_tool_use.py",
    "~/.claude/tools/amplihack/hooks/other.py",
    "~/.claude/tools/amplihack/hooks/sub/stop.py",
    "~/.claude/mytools/amplihack/hooks/stop.py",
    "~/.claude/tools/amplihack/hooks/stop.pyc",
    "",
    "   ",
    "'",
  ])("are not %j", command => {
    expect(ownedCommand(command)).toBeUndefined();
  });

  it("are found under every name a handler has for its command, and in its arguments", () => {
    expect(ownedHandler({ bash: "/x/amplihack-hooks stop" })?.subcommand).toBe("stop");
    expect(ownedHandler({ command: "/x/amplihack-hooks", args: ["stop", "--host"] })?.subcommand).toBe(
      "stop",
    );
    for (const other of [null, 5, "x", [], {}, { command: 5 }, { command: "/x/amplihack-hooks", args: 7 }])
      expect(ownedHandler(other)?.subcommand).toBeUndefined();
  });

  it("are found in lines for every clone of a project, in a host without a shell, too", () => {
    const line =
      '"$HOME"/.amplihack/.claude/bin/amplihack-hooks stop --host x ; c=$? ; [ $c = 127 ] || exit $c';
    const found = {
      kind: "program",
      subcommand: "stop",
      program: "$HOME/.amplihack/.claude/bin/amplihack-hooks",
      words: ["stop", "--host", "x"],
      line,
    };
    expect(ownedHandler({ command: line })).toEqual(found);
    expect(ownedHandler({ command: "/bin/sh", args: ["-c", line] })).toEqual(found);
    expect(
      ownedHandler({ command: "/bin/sh", args: ["-c", "echo /x/amplihack-hooks stop"] }),
    ).toBeUndefined();
    expect(ownedHandler({ command: "/bin/sh", args: ["-c"] })).toBeUndefined();
  });

  it("are quoted so that they are found again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), folder => {
        fc.pre(!folder.includes("\0"));
        const program = `/${folder}/amplihack-hooks`;
        const line = `${quoteWord(program)} stop`;
        expect(ownedCommand(line)).toEqual({
          kind: "program",
          subcommand: "stop",
          program,
          words: ["stop"],
          line,
        });
      }),
    );
  });
});

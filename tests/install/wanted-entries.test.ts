import { describe, expect, it } from "vitest";
import { HOSTS } from "../../src/hosts/index.ts";
import { generateFiles } from "../../src/install/generated-modules.ts";
import { registerEntries, wantedEntries } from "../../src/install/hook-entries.ts";

const PROGRAM = "/home/ines/.amplihack/.claude/bin/amplihack-hooks";

describe("handlers", () => {
  it("name the host only in files that no other host reads", () => {
    const [shared] = wantedEntries("claude-code", { program: PROGRAM, isShared: true });
    expect(shared?.handler).toEqual({ type: "command", command: `${PROGRAM} session-start`, timeout: 10 });
    const [own] = wantedEntries("codex", { program: PROGRAM, isShared: false });
    expect(own?.handler).toEqual({
      type: "command",
      command: `${PROGRAM} session-start --host codex --event SessionStart`,
      timeout: 10,
    });
  });

  it("quote a program that a shell would take apart", () => {
    const [entry] = wantedEntries("claude-code", {
      program: "/home/o'neill x/amplihack-hooks",
      isShared: true,
    });
    expect(entry?.handler["command"]).toBe(`'/home/o'\\''neill x/amplihack-hooks' session-start`);
  });

  it("say that a failure refuses, where the host has a word and the event can be refused", () => {
    const isClosed = (subcommand: string) => subcommand === "pre-tool-use" || subcommand === "session-start";
    const closed = (host: "claude-code" | "cursor" | "goose" | "codex") =>
      wantedEntries(host, { program: PROGRAM, isShared: false, isClosed }).flatMap(
        ({ nativeEvent, handler }) => {
          const { onFailure, failClosed, on_failure: other } = handler;
          return [onFailure, failClosed, other].some(value => value !== undefined) ? [nativeEvent] : [];
        },
      );
    expect(closed("claude-code")).toEqual(["PreToolUse"]);
    expect(closed("cursor")).toEqual(["preToolUse"]);
    expect(closed("goose")).toEqual(["PreToolUse"]);
    expect(closed("codex")).toEqual([]);
  });

  it("leave out what the installed program does not know", () => {
    const supports = (subcommand: string) => subcommand !== "workflow-classification-reminder";
    const entries = wantedEntries("claude-code", { program: PROGRAM, isShared: true, supports });
    expect(entries.map(entry => entry.subcommand)).not.toContain("workflow-classification-reminder");
  });

  it("wait longer where a question waits for an answer of the team, until it does no more", () => {
    const layout = HOSTS["claude-code"].registration?.layout;
    if (layout === undefined) throw new Error("it is registered");
    const wanted = (waitMs: number) =>
      wantedEntries("claude-code", { program: PROGRAM, isShared: true, waitMs });
    const write = (text: string, waitMs: number) => {
      const edited = registerEntries(text, layout, wanted(waitMs));
      if (!edited.ok) throw new Error(edited.problem);
      return edited;
    };
    const hook = (text: string) =>
      (JSON.parse(text) as { hooks: { PreToolUse: [{ hooks: [unknown] }] } }).hooks.PreToolUse[0].hooks[0];
    const waiting = write("{}", 90_500).text;
    expect(hook(waiting)).toEqual({
      type: "command",
      command: `${PROGRAM} pre-tool-use --limit=101`,
      timeout: 101,
    });
    const usual = { type: "command", command: `${PROGRAM} pre-tool-use`, timeout: 10 };
    const back = write(waiting, 0);
    expect(hook(back.text)).toEqual(usual);
    expect(back.raisedTimeouts).toEqual([]);
    // What a person raised stays.
    const byHand = write(waiting.replace('"timeout": 101', '"timeout": 300'), 0);
    expect(hook(byHand.text)).toEqual({ ...usual, timeout: 300 });
    expect(byHand.raisedTimeouts).toHaveLength(1);
  });

  it("use Copilot's own spelling and Augment's list of arguments", () => {
    const copilot = wantedEntries("copilot-cli", { program: PROGRAM, isShared: true });
    expect(copilot.find(entry => entry.nativeEvent === "preToolUse")?.handler).toEqual({
      type: "command",
      bash: `${PROGRAM} pre-tool-use`,
      timeoutSec: 10,
    });
    const augment = wantedEntries("augment", { program: PROGRAM, isShared: false });
    expect(augment.find(entry => entry.nativeEvent === "PreToolUse")).toMatchObject({
      matcher: ".*",
      handler: {
        command: PROGRAM,
        args: ["pre-tool-use", "--host", "augment", "--event", "PreToolUse"],
        timeout: 10_000,
      },
    });
  });
});

describe("files that are ours as a whole", () => {
  const options = { program: "/opt/a b/amplihack-hooks", failure: "open", version: "1.2.3" } as const;

  it("are one program per event for Cline", () => {
    const files = generateFiles("cline", options);
    expect(files.map(file => file.name)).toEqual([
      "TaskStart",
      "TaskResume",
      "PreToolUse",
      "PostToolUse",
      "UserPromptSubmit",
      "PreCompact",
      "TaskCancel",
      "SessionShutdown",
    ]);
    const gate = files.find(file => file.name === "PreToolUse");
    expect(gate?.isExecutable).toBe(true);
    expect(gate?.text).toBe(
      "#!/bin/sh\n# Written by amplihack 1.2.3. Changes are lost at the next install.\n" +
        "exec '/opt/a b/amplihack-hooks' pre-tool-use --host cline --event PreToolUse\n",
    );
  });
});

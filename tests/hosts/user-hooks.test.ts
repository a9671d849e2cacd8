import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { abilities, planRegistrations } from "../../src/exports/hosts.ts";
import type { UserPlace } from "../../src/verify/live/live.ts";
import { PACKAGE_ROOT } from "../install/sandbox.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { command, type DrivenHost } from "./file-tools.ts";
import { NATIVE_HOOKS } from "./play-session.ts";
import { INSTALLED, makePlace, runScript } from "./run-script.ts";

const AMPLIHACK = join(PACKAGE_ROOT, "dist/bin/amplihack.cjs");
const ENGINES = existsSync(NATIVE_HOOKS) ? ["node", "native"] : ["node"];

/** Where a hook of the user's comes from: all of them do the same, each on commands with its own word. */
const SOURCES = ["typed", "configured", "imported"] as const;
type Source = (typeof SOURCES)[number];
const EVENTS = ["PreToolUse", "SessionStart", "UserPromptSubmit", "Stop"] as const;

const refusal = (source: Source) => `the ${source} hook says no (7c1f)`;
const context = (source: Source, event: string) => `a word of the ${source} hook at ${event} (9b2e)`;
const held = (source: Source) => `the ${source} hook holds this stop (4d3a)`;

const TYPED = `
import { context, defineHook, deny, rewrite } from "amplihack/hooks";

export const commands = defineHook({
  name: "typed-commands",
  event: "PreToolUse",
  tool: "Bash",
  run({ input }) {
    if (input.command === "touch typed-denied") return deny("${refusal("typed")}");
    if (input.command === "touch typed-before") return rewrite({ command: "touch typed-after" });
  },
});

export const words = defineHook({
  name: "typed-context",
  event: ["SessionStart", "UserPromptSubmit"],
  run: ({ event }) => context(\`a word of the typed hook at \${event} (9b2e)\`),
});

export const hold = defineHook({
  name: "typed-hold",
  event: "Stop",
  run({ state }) {
    if (state.session.read()["held"] === true) return;
    state.session.update(() => ({ held: true }));
    return deny("${held("typed")}");
  },
});
`;

/** A program as people have them for Claude Code: $1 is where it was configured, $2 the event. */
const PROGRAM = `#!/bin/sh
payload=$(cat)
printf '%s %s\\n' "$1" "$2" >> "$HOME/calls"
case $2 in
PreToolUse)
  case $payload in
  *"touch $1-denied"*) echo "the $1 hook says no (7c1f)" >&2; exit 2 ;;
  *"touch $1-before"*) printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"touch %s-after"}}}' "$1" ;;
  esac ;;
Stop)
  [ -e "$HOME/held-$1" ] && exit 0
  touch "$HOME/held-$1"
  printf '{"decision":"block","reason":"the %s hook holds this stop (4d3a)"}' "$1" ;;
*) printf 'a word of the %s hook at %s (9b2e)\\n' "$1" "$2" ;;
esac
`;

function settings(source: Source): object {
  const entries = EVENTS.map(event => {
    const hooks = [{ type: "command", command: `sh ~/hook.sh ${source} ${event}` }];
    return [event, [event === "PreToolUse" ? { matcher: "Bash", hooks } : { hooks }]];
  });
  return Object.fromEntries(entries) as object;
}

/** The user writes the three hooks and builds them. */
function writeHooks({ home, project }: UserPlace, env: Readonly<Record<string, string>>): void {
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  };
  write("hook.sh", PROGRAM);
  write(".amplihack/hooks/typed.ts", TYPED);
  write(".amplihack/hooks.jsonc", JSON.stringify({ hooks: settings("configured"), import: ["claude"] }));
  const claude = join(home, ".claude/settings.json");
  const known = existsSync(claude) ? (JSON.parse(readFileSync(claude, "utf8")) as { hooks?: object }) : {};
  const hooks: Record<string, unknown[]> = { ...(known.hooks as Record<string, unknown[]>) };
  for (const [event, groups] of Object.entries(settings("imported")))
    hooks[event] = [...(hooks[event] ?? []), ...(groups as unknown[])];
  write(".claude/settings.json", JSON.stringify({ ...known, hooks }));
  execFileSync(process.execPath, [AMPLIHACK, "hooks", "build"], {
    cwd: project,
    env: { PATH: process.env["PATH"], HOME: home, ...env },
  });
}

/** What our descriptor says the host can do on an event it is registered for. */
function can(host: DrivenHost, event: string, ability: "deny" | "input" | "context"): boolean {
  const native = planRegistrations(host).registrations.find(each => each.event === event)?.nativeEvent;
  return native !== undefined && abilities(host, event, native)[ability] !== undefined;
}

describe.each(INSTALLED)("hooks of the user's in %s", host => {
  it.each(ENGINES)("refuse, rewrite, add context and hold a stop, hooks on %s", async engine => {
    const place = makePlace(temporaryDirectory());
    const env = { AMPLIHACK_HOOK_ENGINE: engine };
    const { results, told, end } = await runScript(
      host,
      place,
      () => SOURCES.flatMap(source => [command(`touch ${source}-denied`), command(`touch ${source}-before`)]),
      { env, prepare: () => writeHooks(place, env) },
    );
    expect(results, end).toHaveLength(2 * SOURCES.length);
    const has = (name: string) => existsSync(join(place.project, name));
    const seen = SOURCES.map((source, index) => ({
      source,
      isRefused: !has(`${source}-denied`) && (results[2 * index] ?? "").includes(refusal(source)),
      isRewritten: has(`${source}-after`) && !has(`${source}-before`),
      atStart: told.includes(context(source, "SessionStart")),
      atPrompt: told.includes(context(source, "UserPromptSubmit")),
      isHeld: told.includes(held(source)),
    }));
    const expected = SOURCES.map(source => ({
      source,
      isRefused: true,
      isRewritten: can(host, "PreToolUse", "input"),
      atStart: can(host, "SessionStart", "context"),
      atPrompt: can(host, "UserPromptSubmit", "context"),
      isHeld: can(host, "Stop", "deny"),
    }));
    expect(seen, `${end}\n${results.join("\n")}`).toEqual(expected);

    // Also in the host that runs Claude's settings itself.
    const calls = readFileSync(join(place.home, "calls"), "utf8").split("\n");
    const started = (source: Source) => calls.filter(line => line === `${source} PreToolUse`).length;
    // A refusal of the typed hook ends the matter before the others are asked.
    expect([started("configured"), started("imported")], end).toEqual(
      host === "claude-code" ? [5, 6] : [5, 5],
    );
  });
});

import fc from "fast-check";
import * as hosts from "../../src/exports/hosts.ts";
import { ANSWER_KINDS, HOST_IDS, HOSTS, STOCK_SUBCOMMANDS } from "../../src/exports/hosts.ts";
import { AGENTS } from "../../src/hosts/index.ts";
import { registerEntries } from "../../src/install/hook-entries.ts";
import {
  EVENTS,
  type FailurePolicy,
  isSameJson,
  type Json,
  NO_OUTCOME,
  type Outcome,
} from "../../src/protocol/index.ts";
import { payloads } from "./payloads.ts";
import { describePublicFunctions, forAll, forBoth } from "./public-functions.ts";
import { layouts, settings, someEntries } from "./settings-texts.ts";
import { environmentOf, environments, json, jsonObjects, paths, texts } from "./values.ts";

const ids = fc.constantFrom(...HOST_IDS);
const events = fc.oneof(fc.constantFrom(...EVENTS.map(event => event.name)), texts);
const subcommands = fc.constantFrom(...STOCK_SUBCOMMANDS.map(one => one.name));
const policies = fc.constantFrom<FailurePolicy>("open", "ask", "closed");
const env = environments(["CLAUDECODE", "COPILOT_CLI", "GEMINI_CLI", "CURSOR_VERSION", "CODEX_HOME"]).map(
  environmentOf,
);
const decoder = new TextDecoder();
const bodies = payloads.map(payload => (typeof payload === "string" ? payload : decoder.decode(payload)));
const outcomes: fc.Arbitrary<Outcome> = fc
  .tuple(
    fc.constantFrom("none", "allow", "ask", "defer", "deny"),
    fc.string({ minLength: 1, maxLength: 20 }),
    texts,
    jsonObjects,
  )
  .map(([kind, reason, context, extras]) => ({
    ...NO_OUTCOME,
    decision: (kind === "none" ? { kind } : { kind, reason, by: ["one"] }) as Outcome["decision"],
    context: context === "" ? [] : [{ text: context, hook: "one" }],
    extras,
  }));
const words = fc.oneof(
  texts,
  paths,
  fc.constantFrom("/x/amplihack-hooks stop", "A=1 /y/amplihack-hooks pre-tool-use"),
);
/** What a host gets is always text it can read: nothing, one JSON value or a plain word, and a known exit code. */
function isAnswer({ stdout, exitCode }: hosts.HostResponse): boolean {
  return [0, 2].includes(exitCode) && (stdout === "" || stdout.endsWith("\n") || !stdout.includes("\n"));
}

describePublicFunctions("hosts", hosts, {
  settingsPath: forBoth(
    fc.tuple(ids, fc.constantFrom("user", "project")),
    fc.tuple(paths, env),
    ([id, scope], [home, variables]) => {
      const registration = HOSTS[id].registration;
      if (registration === undefined) return true;
      const path = hosts.settingsPath(registration, scope, { home, projectRoot: "/project" }, variables);
      if (path === undefined) return registration.files[scope] === undefined;
      return path.startsWith("/") && (scope !== "project" || path.startsWith("/project/"));
    },
  ),
  isHostId: forAll(fc.oneof(texts, ids), name => hosts.isHostId(name) === HOST_IDS.some(id => id === name)),
  isAgentVariable: forAll(
    fc.oneof(texts, fc.constantFrom("CLAUDECODE", "CODEX_SANDBOX_NETWORK", "ATOMCODE_X")),
    name => !hosts.isAgentVariable(name) || /^[A-Z_]+/.test(name),
  ),
  abilities: forBoth(ids, events, (id, event) => typeof hosts.abilities(id, event, event) === "object"),
  hookDeadlineMs: forBoth(ids, fc.tuple(subcommands, events), (id, [subcommand, event]) => {
    const deadline = hosts.hookDeadlineMs(id, subcommand, event);
    return Number.isInteger(deadline) && deadline > 0 && deadline < 600_000;
  }),
  planRegistrations: forAll(ids, id => {
    const { registrations, omitted } = hosts.planRegistrations(id);
    return registrations.every(one => one.nativeEvent !== "") && omitted.every(one => one.why !== "");
  }),
  inspect: forBoth(
    bodies,
    fc.tuple(fc.option(ids, { nil: undefined }), fc.constantFrom(...ANSWER_KINDS), env),
    (text, [host, answer, variables]) => {
      const seen = hosts.inspect(text, { host, answer, env: variables });
      if ("error" in seen) return seen.error.code !== "" && seen.error.message !== "";
      return HOST_IDS.includes(seen.host) && seen.answer !== undefined && isAnswer(seen.answer);
    },
  ),
  mapEvent: forBoth(ids, events, (id, native) => {
    const mapped = hosts.mapEvent(HOSTS[id], native);
    return mapped === null || mapped === undefined || mapped.event !== "";
  }),
  nativeEventName: forBoth(
    ids,
    events,
    (id, event) => hosts.nativeEventName(HOSTS[id], event) !== "" || event === "",
  ),
  normalise: forBoth(bodies, fc.tuple(fc.option(ids, { nil: undefined }), env), (text, [host, variables]) => {
    const result = hosts.normalise(text, { host, env: variables });
    if (!result.ok) return result.code !== undefined && !result.message.includes("\n    at ");
    return host === undefined || result.value.host === host;
  }),
  ownedCommand: forAll(words, command => {
    const owned = hosts.ownedCommand(command);
    return owned === undefined
      ? !/^\/\w\/amplihack-hooks stop$/.test(command)
      : /amplihack/.test(owned.program);
  }),
  ownedHandler: forAll(
    fc.oneof(
      json,
      words.map(command => ({ type: "command", command })),
    ),
    handler => {
      const owned = hosts.ownedHandler(handler as Json);
      return owned === undefined || /amplihack/.test(owned.program);
    },
  ),
  printModeArguments: forBoth(fc.constantFrom(...AGENTS), texts, (agent, prompt) => {
    const { args, stdin } = hosts.printModeArguments(agent, { prompt });
    return stdin === prompt || args.includes(prompt);
  }),
  recognise: forBoth(
    fc.option(jsonObjects, { nil: undefined }),
    fc.tuple(env, fc.option(ids, { nil: undefined })),
    (payload, [variables, hint]) => {
      const host = hosts.recognise(payload, variables, hint);
      return hint === undefined ? HOST_IDS.includes(host) : host === hint;
    },
  ),
  render: forBoth(fc.tuple(ids, events), fc.tuple(outcomes, jsonObjects), ([id, event], [outcome, payload]) =>
    isAnswer(hosts.render(id, { event, nativeEvent: event, outcome, payload })),
  ),
  renderFailure: forBoth(
    fc.tuple(ids, events),
    fc.tuple(policies, texts),
    ([id, event], [policy, reason]) => {
      const answer = hosts.renderFailure(id, { event, nativeEvent: event, policy, reason });
      return (
        isAnswer(answer) &&
        (policy !== "open" || answer.exitCode === 0) &&
        answer.stderr.includes("could not check")
      );
    },
  ),
  unregisterEntries: forBoth(layouts, settings, ({ id, layout }, before) => {
    const wanted = someEntries(id);
    const edited = registerEntries(before, layout, wanted);
    if (!edited.ok) return true;
    const left = hosts.unregisterEntries(edited.text, layout, { emptyBefore: edited.emptyBefore });
    const found = left.ok ? hosts.listEntries(left.text, layout) : left;
    return found.ok && found.entries.every(entry => entry.owned === undefined);
  }),
  listEntries: forBoth(layouts, settings, ({ layout }, text) => {
    const listed = hosts.listEntries(text, layout);
    return listed.ok ? listed.entries.every(entry => entry.event !== undefined) : listed.problem !== "";
  }),
  listSubcommands: forAll(fc.nat(32), index => {
    const all = hosts.listSubcommands();
    const one = all[index % all.length];
    return one !== undefined && isSameJson(hosts.resolveSubcommand(one.name) as never, one as never);
  }),
  resolveSubcommand: forAll(fc.oneof(events, subcommands), name => {
    const found = hosts.resolveSubcommand(name);
    return found === undefined || hosts.resolveSubcommand(found.name)?.name === found.name;
  }),
  resolveHost: forAll(fc.oneof(texts, ids, fc.constantFrom("claude", " Droid ", "VSCODE")), name => {
    const id = hosts.resolveHost(name);
    return id === undefined
      ? !HOST_IDS.some(known => known === name && known !== "amplifier")
      : HOST_IDS.includes(id);
  }),
});

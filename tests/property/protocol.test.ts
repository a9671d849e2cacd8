import fc from "fast-check";
import * as protocol from "../../src/exports/protocol.ts";
import {
  type Accumulator,
  type Contribution,
  type Effect,
  EMPTY,
  EVENTS,
  FIELD_NAMES,
  type JsonObject,
  type Normalised,
  VERDICTS,
} from "../../src/exports/protocol.ts";
import { describePublicFunctions, forAll, forBoth } from "./public-functions.ts";
import { json, jsonObjects, texts } from "./values.ts";

const eventNames = fc.oneof(fc.constantFrom(...EVENTS.map(event => event.name)), texts);
const verdicts = fc.constantFrom(...VERDICTS);
const reasons = fc.option(fc.string({ maxLength: 8 }), { nil: undefined });

const effects: fc.Arbitrary<Effect> = fc
  .record(
    {
      decision: fc
        .tuple(fc.constantFrom("allow" as const, "ask" as const, "defer" as const, "deny" as const), reasons)
        .map(([kind, reason]) => (reason === undefined ? { kind } : { kind, reason })),
      halt: reasons.map(reason => (reason === undefined ? {} : { reason })),
      input: jsonObjects,
      output: json,
      context: fc.string({ maxLength: 8 }),
      message: fc.record({ text: texts, level: fc.constantFrom("info" as const, "warn" as const) }),
      suppress: fc.boolean(),
      extras: jsonObjects,
    },
    { requiredKeys: [] },
  )
  .map(effect => effect as Effect);
const contributions: fc.Arbitrary<Contribution> = fc.record({
  hook: fc.constantFrom("one", "two", "three"),
  effect: effects,
});
const accumulators: fc.Arbitrary<Accumulator> = contributions.map(protocol.accumulate);
const options = fc.record({
  power: fc.constantFrom("veto" as const, "retry" as const, "feedback" as const, "none" as const),
  aborted: fc.boolean(),
  isStopCapReached: fc.boolean(),
});

const texted = fc.option(texts, { nil: null });
const normalised: fc.Arbitrary<Normalised> = fc.record({
  host: fc.constant("claude-code"),
  event: eventNames,
  nativeEvent: eventNames,
  toolName: texted,
  canonicalToolName: texted,
  toolInput: json,
  cwd: texted,
  sessionId: texted,
  transcriptPath: texted,
  facts: fc.record({ command: texted, paths: fc.array(texts, { maxLength: 2 }) }),
  warnings: fc.array(
    fc.record({
      code: fc.constantFrom(
        "missing-tool-input" as const,
        "tool-input-not-json" as const,
        "tool-input-wrong-type" as const,
        "field-wrong-type" as const,
      ),
      field: fc.constantFrom("tool_input", "cwd"),
    }),
    { maxLength: 2 },
  ),
  raw: fc.oneof(
    jsonObjects,
    fc.dictionary(
      fc.constantFrom(...Object.values(FIELD_NAMES).flat(), "reason", "success", "trigger"),
      json,
      {
        maxKeys: 5,
      },
    ),
  ),
});

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const rank = (verdict: (typeof VERDICTS)[number]) => VERDICTS.indexOf(verdict);

describePublicFunctions("protocol", protocol, {
  eventKey: forAll(eventNames, name => {
    const key = protocol.eventKey(name);
    return /^[a-z0-9]*$/.test(key) && protocol.eventKey(key) === key;
  }),
  findEvent: forAll(eventNames, name => {
    const found = protocol.findEvent(name);
    const hasKey = EVENTS.some(event => protocol.eventKey(event.name) === protocol.eventKey(name));
    return (found !== undefined) === (hasKey || protocol.eventKey(name) === "sessionstop");
  }),
  describeEvent: forAll(eventNames, name => {
    const described = protocol.describeEvent(name);
    return protocol.findEvent(name) === undefined
      ? described.name === name && described.power === "none" && !described.requiresTool
      : described === protocol.findEvent(name);
  }),
  powerOf: forBoth(eventNames, jsonObjects, (name, payload) => {
    const descriptor = protocol.describeEvent(name);
    const power = protocol.powerOf(descriptor, payload);
    return power === descriptor.power || (power === "none" && descriptor.name === "ConfigChange");
  }),
  fold: forBoth(fc.array(contributions, { maxLength: 5 }), options, (given, how) => {
    const whole = protocol.fold(given, how);
    const half = given.length >> 1;
    const pieces = [given.slice(0, half), given.slice(half)].map(part =>
      part.map(protocol.accumulate).reduce(protocol.combine, EMPTY),
    );
    return isSame(whole, protocol.finish(pieces.reduce(protocol.combine, EMPTY), how));
  }),
  accumulate: forAll(contributions, contribution => {
    const { verdict, context, winners } = protocol.accumulate(contribution);
    const { decision, context: said } = contribution.effect;
    return (
      verdict === (decision?.kind ?? "none") &&
      winners.length === (decision === undefined ? 0 : 1) &&
      context.length === (said === undefined ? 0 : 1)
    );
  }),
  combine: forAll(fc.tuple(accumulators, accumulators, accumulators), ([one, two, three]) => {
    const { combine } = protocol;
    return (
      isSame(combine(one, EMPTY), one) &&
      isSame(combine(EMPTY, one), one) &&
      isSame(combine(combine(one, two), three), combine(one, combine(two, three))) &&
      rank(combine(one, two).verdict) === Math.max(rank(one.verdict), rank(two.verdict))
    );
  }),
  finish: forBoth(accumulators, options, (folded, how) => {
    const { decision, input, messages } = protocol.finish(folded, how);
    const mayRewrite = decision.kind !== "deny" && folded.halt === undefined;
    const isDecidable = how.power !== "none";
    return (
      (input === undefined || mayRewrite) &&
      (isDecidable || decision.kind === "none") &&
      (!(how.aborted && how.power === "veto") || how.isStopCapReached || decision.kind === "deny") &&
      (decision.kind !== "deny" || decision.reason !== undefined) &&
      messages.length >= folded.messages.length
    );
  }),
  isStricter: forBoth(
    verdicts,
    verdicts,
    (one, other) => protocol.isStricter(one, other) === rank(one) > rank(other),
  ),
  isSameJson: forBoth(json, json, (one, other) => {
    const copy = JSON.parse(JSON.stringify(one)) as protocol.Json;
    const reversed = protocol.isJsonObject(one) ? reverse(one) : one;
    return (
      protocol.isSameJson(one, copy) &&
      protocol.isSameJson(one, reversed) &&
      protocol.isSameJson(one, other) === protocol.isSameJson(other, one)
    );
  }),
  inferEvent: forBoth(jsonObjects, texts, (payload, named) => {
    const found = protocol.inferEvent({ ...payload, hook_event_name: named });
    return named.trim() === "" ? found !== named : found === named;
  }),
  readField: forBoth(jsonObjects, fc.array(texts, { maxLength: 3 }), (payload, names) => {
    const field = protocol.readField(payload, names);
    const present = names.filter(name => Object.hasOwn(payload, name) && payload[name] !== null);
    return field === undefined
      ? present.length === 0
      : field.name === present[0] && field.value === payload[field.name];
  }),
  isPatchTool: forAll(
    fc.oneof(texts, fc.constantFrom("apply_patch", "Apply_Patch", "applyPatch")),
    name => protocol.isPatchTool(name) === /^apply_?patch$/i.test(name),
  ),
  checkInput: forAll(normalised, value => {
    const checked = protocol.checkInput(value);
    if (!checked.ok) return checked.problem !== "" && protocol.describeEvent(value.event).requiresTool;
    const { input } = checked;
    return (
      input.event === protocol.describeEvent(value.event).name &&
      input.raw === value.raw &&
      (input.kind === "tool") === protocol.describeEvent(value.event).requiresTool
    );
  }),
  isJsonObject: forAll(
    json,
    value => protocol.isJsonObject(value) === (Object.prototype.toString.call(value) === "[object Object]"),
  ),
  isTruthy: forAll(
    json,
    value => protocol.isTruthy(value) !== /^(?:null|false|0|""|\[\]|\{\})$/.test(JSON.stringify(value)),
  ),
  ownValue: forBoth(jsonObjects, texts, (object, key) => {
    const found = protocol.ownValue(object, key);
    return Object.hasOwn(object, key) ? found === object[key] : found === undefined;
  }),
  readJson: forBoth(
    fc.oneof(
      texts,
      json.map(value => JSON.stringify(value)),
    ),
    fc.boolean(),
    (text, recover) => {
      const read = protocol.readJson(text, { recover, maxDepth: 20 });
      const strict = tryParse(text.replace(/^\uFEFF/, ""));
      if (strict === undefined) return !read.ok || recover;
      return read.ok ? protocol.isSameJson(read.value, strict) : read.problem !== "malformed";
    },
  ),
});

function reverse(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).reverse());
}

function tryParse(text: string): protocol.Json | undefined {
  try {
    // Keys with that name are left out: they have no meaning, and some programs would obey them.
    return JSON.parse(text, (_, value) => {
      if (protocol.isJsonObject(value)) Reflect.deleteProperty(value, "__proto__");
      return value;
    }) as protocol.Json;
  } catch {
    return undefined;
  }
}

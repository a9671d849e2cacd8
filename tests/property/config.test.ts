import fc from "fast-check";
import * as config from "../../src/config/index.ts";
import { isSameJson, type Json } from "../../src/protocol/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { describeDoor, forAll, forBoth } from "./public-functions.ts";
import { environments, json, keys, paths, texts } from "./values.ts";

const PLACES = { home: "/home/user", stateHome: "/home/user/.amplihack", projectRoot: "/home/user/project" };
const USER_FILE = config.userConfigFile(PLACES.stateHome);
const PROJECT_FILE = config.projectConfigFile(PLACES.projectRoot);

/** Members that mean something, with values that need not. */
const members = fc.constantFrom("guard", "failure", "bridge", "reflect", "memory", "update", "$schema");
const guardMembers = fc.constantFrom(
  "level",
  "rules",
  "protectedBranches",
  "paths",
  "allow",
  "custom",
  "audit",
);
const files = fc.oneof(
  texts,
  fc.dictionary(members, json, { maxKeys: 3 }).map(value => JSON.stringify(value)),
  fc.dictionary(guardMembers, json, { maxKeys: 3 }).map(guard => JSON.stringify({ guard })),
  fc.constantFrom(...config.LEVELS).map(level => JSON.stringify({ guard: { level } })),
  fc
    .tuple(fc.constantFrom("default", "stop", "pre-tool-use"), fc.constantFrom(...config.POLICIES))
    .map(([name, policy]) => JSON.stringify({ failure: { [name]: policy } })),
);
const environment = environments(["AMPLIHACK_GUARD_LEVEL", "AMPLIHACK_FAILURE_POLICY"]);
const failureTables = fc.array(
  fc.dictionary(fc.oneof(keys, fc.constantFrom("default", "stop")), fc.constantFrom(...config.POLICIES), {
    maxKeys: 3,
  }),
  { maxLength: 3 },
);

const strictness = (level: (typeof config.LEVELS)[number]) => config.LEVELS.indexOf(level);

describeDoor("config", config, {
  renderConfigSchema: forAll(fc.constantFrom("guard", "failure", "memory", "update", "bridge"), section =>
    Object.hasOwn(JSON.parse(config.renderConfigSchema()).properties, section),
  ),
  toJsonSchema: forAll(texts, title => {
    const schema = config.toJsonSchema(config.CONFIG_SCHEMA, title);
    return schema["title"] === title && isSameJson(schema, JSON.parse(JSON.stringify(schema)) as Json);
  }),
  readJsonc: forBoth(json, fc.constantFrom("// x\n", "/* y */", "/* // */ ", ""), (value, comment) => {
    const text = `${comment}${JSON.stringify(value, null, 1).replaceAll("\n", `\n${comment}`)}${comment}`;
    if (text.includes("__proto__")) return true;
    const read = config.readJsonc(text);
    return read.ok && isSameJson(read.value, JSON.parse(JSON.stringify(value)) as Json);
  }),
  userConfigFile: forAll(paths, home => config.userConfigFile(home).endsWith("/config.jsonc")),
  projectConfigFile: forAll(paths, root =>
    config.projectConfigFile(root).endsWith("/.amplihack/config.jsonc"),
  ),
  loadConfig: forBoth(fc.tuple(files, files), environment, ([user, project], env) => {
    const load = (seed: Readonly<Record<string, string>>) =>
      config.loadConfig(createMemorySystem({ env, files: seed }), PLACES);
    const own = load({ [USER_FILE]: user });
    const both = load({ [USER_FILE]: user, [PROJECT_FILE]: project });
    const isTightened = strictness(both.config.guard.level) >= strictness(own.config.guard.level);
    const subcommands = ["stop", "pre-tool-use", "other"];
    const policies = subcommands.every(
      name =>
        config.POLICIES.indexOf(config.resolveFailurePolicy(both.config, name)) >=
        config.POLICIES.indexOf(config.resolveFailurePolicy(own.config, name)),
    );
    return isTightened && policies && both.notices.length >= own.notices.length && both.notices.every(isTold);
  }),
  isHistoryOn: forBoth(fc.boolean(), fc.subarray([...config.PARTS]), (enabled, parts) => {
    const history = { ...config.BUILT_IN.history, enabled };
    return config.isHistoryOn({ parts, history }) === (enabled && parts.includes("history"));
  }),
  resolveFailurePolicy: forBoth(
    failureTables,
    fc.constantFrom("stop", "other", "__proto__"),
    (failure, name) => {
      const policy = config.resolveFailurePolicy({ failure }, name);
      const stricter = config.resolveFailurePolicy({ failure: [...failure, { default: "closed" }] }, name);
      return (
        config.POLICIES.includes(policy) &&
        config.POLICIES.indexOf(stricter) >= config.POLICIES.indexOf(policy)
      );
    },
  ),
});

function isTold(notice: config.ConfigNotice): boolean {
  return notice.message !== "" && notice.source !== "";
}

/**
 * The configuration: its layers, what may be said in each, validation, JSON Schema, and edits that keep a person's
 * comments. Reading never throws; what cannot be read becomes a notice.
 */
export { acceptConfig } from "./accept.ts";
export type { JsonNode } from "./json-edit.ts";
export {
  findLooseJson,
  findMember,
  type InvalidText,
  insertFirst,
  insertMember,
  listProperties,
  openJson,
  removeChild,
  replaceNode,
  toPlace,
} from "./json-edit.ts";
export { renderConfigSchema, settingKeys, toJsonSchema } from "./json-schema.ts";
export { blankOutComments, readJsonc } from "./jsonc.ts";
export * from "./levels.ts";
export * from "./load.ts";
export { findMisplacedConfig } from "./misplaced.ts";
export {
  MAX_POLICIES,
  MAX_POLICY_BYTES,
  type PolicyReference,
  parsePolicyReference,
  policyDigest,
  policyFile,
  policyFolder,
  readPolicySettings,
  signedRecordFile,
} from "./policies.ts";
export { MAX_CONFIG_BYTES } from "./read-file.ts";
export { OPERATION_RULES, type OperationRule, OTHER_RULES, type RuleId } from "./rule-ids.ts";
export { accept, type Schema, type SchemaProblem } from "./schema.ts";
export * from "./sections.ts";
export * from "./settings.ts";
export { addAllowEntry, starterConfig, trustProject, widenSandbox } from "./starter.ts";

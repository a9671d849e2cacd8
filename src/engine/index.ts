/**
 * The embeddable engine: sources, match, plan, run, judge, fold; trust and telemetry; one adapter for each agent SDK.
 * A hook that fails meets its failure policy and is never silent.
 */
export {
  type DefinitionKeeper,
  INSTRUCTIONS,
  type ReviewedDefinition,
} from "./adapters/mcp-definitions.ts";
export { McpProxy } from "./adapters/mcp-proxy.ts";
export { USER_REFUSED } from "./calls/types.ts";
export { createHookEngine } from "./create.ts";
export type { HookSource, LoadReport } from "./options.ts";
export { loadSources } from "./source/load.ts";
export { userSources } from "./user-sources.ts";
export const loadCreate = () => import("./create.ts");
export const loadOutcomeEffect = () => import("./output/encode.ts");

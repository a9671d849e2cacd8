import type { JsonObject } from "../../protocol/index.ts";
import type { Problem } from "../format/recipe.ts";
import type { ResultDocument } from "./result.ts";

/** How a run ended. */
export interface RunOutcome {
  readonly document: ResultDocument | JsonObject;
  readonly exitCode: number;
  /** the document of an external runner, exactly as it printed it */
  readonly documentText?: string | undefined;
  /** what is wrong with the recipe, and the texts that the problems point into */
  readonly problems?: readonly Problem[];
  readonly sources?: ReadonlyMap<string, string>;
}

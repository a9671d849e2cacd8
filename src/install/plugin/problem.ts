import { Problem } from "../../state/problem.ts";

/** Why a plugin could not be handled: what is wrong and what to do. */
export class PluginProblem extends Problem {
  override readonly name = "PluginProblem";

  constructor(message: string, fix?: string) {
    super(message, { kind: "plugin", fix });
  }
}

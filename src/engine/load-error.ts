import type { Diagnostic } from "../protocol/index.ts";
import type { LoadReport } from "./options.ts";

/** The sources must not be used: managed policy cannot be enforced as written, or `strict` allows no error. */
export class HookLoadError extends Error {
  override readonly name = "HookLoadError";
  readonly problems: readonly Diagnostic[];
  readonly report: LoadReport;

  constructor(problems: readonly Diagnostic[], report: LoadReport) {
    super(
      `hook configuration refused: ${problems.map(({ code, detail }) => `${code}, ${detail}`).join("; ")}`,
    );
    this.problems = problems;
    this.report = report;
  }
}

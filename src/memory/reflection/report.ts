import { clip, oneLine, redact } from "../../text/index.ts";
import { type SessionFinding, strongest } from "./finding.ts";

const MAX_TASK_LENGTH = 300;

/** What the user is shown; the heading of the task is where the name of its file comes from. */
export function renderReflection(task: string, findings: readonly SessionFinding[]): string {
  const advice = [...new Set(findings.map(finding => finding.advice))];
  return [
    "# Reflection",
    "",
    "## Task Summary",
    "",
    task === "" ? "The session has no message of the user." : clip(redact(oneLine(task)), MAX_TASK_LENGTH),
    "",
    `## Findings (severity: ${strongest(findings)})`,
    "",
    ...findings.map(({ severity, text }) => `- ${severity}: ${text}`),
    "",
    "## Recommendations",
    "",
    ...advice.map((text, index) => `${index + 1}. ${text}`),
  ].join("\n");
}

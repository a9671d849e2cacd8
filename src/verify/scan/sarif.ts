import { findRule } from "../../guard/index.ts";
import { version } from "../../version.ts";
import type { ScanFinding } from "./scan.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
const LEVELS = { deny: "error", ask: "warning" } as const;

/** The findings as a SARIF 2.1.0 log, the form that code-scanning services read. */
export function toSarif(findings: readonly ScanFinding[]) {
  const ids = [...new Set(findings.map(found => found.rule))].sort();
  const titles = new Map(findings.map(found => [found.rule, found.title]));
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "amplihack guard",
            version,
            rules: ids.map(id => ({
              id,
              shortDescription: { text: titles.get(id) ?? id },
              fullDescription: { text: findRule(id)?.when ?? titles.get(id) ?? id },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map(found => ({
          ruleId: found.rule,
          ruleIndex: ids.indexOf(found.rule),
          level: LEVELS[found.verdict],
          message: { text: found.safer === "" ? found.lost : `${found.lost} Safer: ${found.safer}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: toUri(found.file) },
                region: { startLine: found.line, startColumn: found.column },
              },
              ...(found.name === "" ? {} : { logicalLocations: [{ name: found.name }] }),
            },
          ],
        })),
      },
    ],
  };
}

function toUri(path: string): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? `file://${encoded}` : encoded;
}

import type { Check } from "../rule-context.ts";
import { inspectExecution } from "./execution.ts";
import { filesystem } from "./filesystem.ts";
import { inspectBranches } from "./git-branches.ts";
import { gitSettings } from "./git-settings.ts";
import { inspectWork } from "./git-work.ts";
import { inspectMetadata } from "./metadata.ts";
import { inspectOperation } from "./operations.ts";
import { secrets } from "./secrets.ts";
import { selfProtection } from "./self-protection.ts";
import { system } from "./system.ts";
import { inspectText } from "./text.ts";
import { inspectUnexamined } from "./unexamined.ts";

/** Every check, in the order in which findings are told. */
export const CHECKS: readonly Check[] = [
  filesystem,
  { inspect: inspectWork },
  { inspect: inspectBranches },
  gitSettings,
  secrets,
  { inspectWhole: inspectExecution },
  { inspect: inspectMetadata },
  { inspect: inspectOperation },
  system,
  selfProtection,
  { inspectWhole: inspectText },
  { inspectWhole: inspectUnexamined },
];

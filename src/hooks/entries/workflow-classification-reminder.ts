import type { HookDefinition } from "../hook-program.ts";
import { workflowClassificationReminder } from "../workflow-classification-reminder.ts";

export const definition: HookDefinition = { hook: workflowClassificationReminder };

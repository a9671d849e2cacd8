import type { HookDefinition } from "../run.ts";
import { workflowClassificationReminder } from "../workflow-classification-reminder.ts";

export const definition: HookDefinition = { hook: workflowClassificationReminder };

import type { Check } from "../rule-context.ts";
import { inspectDelete, inspectMove } from "./removal.ts";
import { inspectAttributes, inspectWrite } from "./writing.ts";

export const filesystem: Check = {
  inspect(effect, context) {
    if (effect.kind === "delete") inspectDelete(effect, context);
    else if (effect.kind === "move") inspectMove(effect, context);
    else if (effect.kind === "write") inspectWrite(effect, context);
    else if (effect.kind === "attributes") inspectAttributes(effect, context);
  },
};

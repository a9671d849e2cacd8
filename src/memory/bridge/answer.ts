import type { BridgeReply, BridgeRequest } from "../../hooks/index.ts";
import type { BridgeContext } from "./bridge-context.ts";
import { getContext } from "./get-context.ts";
import { injectMemory } from "./inject-memory.ts";
import { reflect } from "./reflect.ts";
import { storeLearning } from "./store-learning.ts";

/** Our own answer to a request that a hook makes of a child process. Failures are `MemoryError`. */
export function answerRequest(request: BridgeRequest, context: BridgeContext): Promise<BridgeReply> {
  switch (request.action) {
    case "reflect":
      return reflect(request, context);
    case "get_context":
      return getContext(request, context);
    case "store":
      return storeLearning(request, context);
    case "inject_memory":
      return injectMemory(request, context);
  }
}

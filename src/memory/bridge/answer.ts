import type { BridgeReply, BridgeRequest } from "../../hooks/bridge/contracts.ts";
import { getContext } from "./get-context.ts";
import { injectMemory } from "./inject-memory.ts";
import { reflect } from "./reflect.ts";
import { storeLearning } from "./store-learning.ts";
import type { Surroundings } from "./surroundings.ts";

/** Our own answer to a request that a hook makes of a child process. Failures are `MemoryError`. */
export function answerRequest(request: BridgeRequest, surroundings: Surroundings): Promise<BridgeReply> {
  switch (request.action) {
    case "reflect":
      return reflect(request, surroundings);
    case "get_context":
      return getContext(request, surroundings);
    case "store":
      return storeLearning(request, surroundings);
    case "inject_memory":
      return injectMemory(request, surroundings);
  }
}

import { definePinning } from "./pinning.ts";

export const unpinCommand = definePinning("unpin", false, "take the pin of a memory away");

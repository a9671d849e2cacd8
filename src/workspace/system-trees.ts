import { wordSet } from "../shell/index.ts";

/** Trees whose every file belongs to the system; of the others in the root set only the top does. */
export const SYSTEM_TREES = wordSet(
  "bin boot dev etc lib lib32 lib64 libx32 proc sbin sys usr System Library nix snap",
);

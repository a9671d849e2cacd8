import { fileURLToPath } from "node:url";

/** The recipes that come with the package; the folder lies beside `src`, and as far from the built files. */
export const SHIPPED_RECIPES: string = fileURLToPath(new URL("../../recipes", import.meta.url));

/** The agents that come with the package. */
export const SHIPPED_AGENTS: string = fileURLToPath(new URL("../../agents", import.meta.url));

/** What the build knows about them; it stands beside the built files only. */
export const SHIPPED_INDEX: string = fileURLToPath(new URL("../recipes/shipped.json", import.meta.url));

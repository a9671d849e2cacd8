import type { BuildOptions } from "esbuild";

export function buildHooks(common: BuildOptions): Promise<readonly string[]>;
export const LOADED_BUNDLE: BuildOptions;

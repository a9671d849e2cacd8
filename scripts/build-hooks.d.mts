import type { BuildOptions } from "esbuild";

export function buildHooks(common: BuildOptions): Promise<readonly string[]>;
export const AROUND_BUNDLE: { banner: { js: string }; footer: { js: string } };

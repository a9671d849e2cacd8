export function entryNames(): Promise<readonly string[]>;
export function definitionPath(name: string): string | undefined;

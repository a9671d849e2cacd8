export function buildConstants(): Record<string, string>;

import type { TokenCount } from "./facts.ts";

/** US dollars for a million tokens. What is not told costs what input costs. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** By the name of a model. */
export type PriceList = Readonly<Record<string, Price>>;

/** List prices of the makers on this day; the configuration's `prices` come before them. */
export const PRICES_DATE = "2026-05-21";

const price = (input: number, output: number, cacheRead?: number, cacheWrite?: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

const OPUS = price(5, 25, 0.5, 6.25);
const FORMER_OPUS = price(15, 75, 1.5, 18.75);
const SONNET = price(3, 15, 0.3, 3.75);
const GPT_5 = price(1.25, 10, 0.125);
const GPT_5_2 = price(1.75, 14, 0.175);

const PRICES: PriceList = {
  "claude-opus-4-7": OPUS,
  "claude-opus-4-6": OPUS,
  "claude-opus-4-5": OPUS,
  "claude-opus-4-1": FORMER_OPUS,
  "claude-opus-4-0": FORMER_OPUS,
  "claude-opus-4": FORMER_OPUS,
  "claude-sonnet-4-6": SONNET,
  "claude-sonnet-4-5": SONNET,
  "claude-sonnet-4-0": SONNET,
  "claude-sonnet-4": SONNET,
  "claude-3-7-sonnet": SONNET,
  "claude-3-5-sonnet": SONNET,
  "claude-haiku-4-5": price(1, 5, 0.1, 1.25),
  "claude-3-5-haiku": price(0.8, 4, 0.08, 1),
  "gpt-5.5": price(5, 30, 0.5),
  "gpt-5.5-pro": price(30, 180),
  "gpt-5.4": price(2.5, 15, 0.25),
  "gpt-5.4-mini": price(0.75, 4.5, 0.075),
  "gpt-5.4-nano": price(0.2, 1.25, 0.02),
  "gpt-5.3-codex": GPT_5_2,
  "gpt-5.2": GPT_5_2,
  "gpt-5.2-codex": GPT_5_2,
  "gpt-5.1": GPT_5,
  "gpt-5.1-codex": GPT_5,
  "gpt-5.1-codex-max": GPT_5,
  "gpt-5.1-codex-mini": price(0.25, 2, 0.025),
  "gpt-5": GPT_5,
  "gpt-5-codex": GPT_5,
  "gpt-5-mini": price(0.25, 2, 0.025),
  "gpt-5-nano": price(0.05, 0.4, 0.005),
  "gpt-4.1": price(2, 8, 0.5),
  "gpt-4.1-mini": price(0.4, 1.6, 0.1),
  "gpt-4o": price(2.5, 10, 1.25),
  "gpt-4o-mini": price(0.15, 0.6, 0.075),
  o3: price(2, 8, 0.5),
  "o4-mini": price(1.1, 4.4, 0.275),
  "gemini-3.5-flash": price(1.5, 9, 0.15),
  "gemini-3.1-pro-preview": price(2, 12, 0.2),
  "gemini-3-pro-preview": price(2, 12, 0.2),
  "gemini-3-flash-preview": price(0.5, 3, 0.05),
  "gemini-3.1-flash-lite": price(0.25, 1.5, 0.025),
  "gemini-2.5-pro": price(1.25, 10, 0.125),
  "gemini-2.5-flash": price(0.3, 2.5, 0.03),
  "gemini-2.5-flash-lite": price(0.1, 0.4, 0.01),
};

/** Undefined for a model without a known price, which does not mean that it is free. */
export function costOfTokens(
  model: string | undefined,
  tokens: TokenCount,
  own: PriceList = {},
): number | undefined {
  const found = model === undefined ? undefined : (priceIn(own, model) ?? priceIn(PRICES, model));
  if (found === undefined) return undefined;
  const { input, output, cacheRead = input, cacheWrite = input } = found;
  const sum =
    tokens.input * input +
    tokens.output * output +
    tokens.cacheRead * cacheRead +
    tokens.cacheWrite * cacheWrite;
  return sum / 1_000_000;
}

/** `anthropic/claude-opus-4-5-20251101[1m]` is priced as `claude-opus-4-5`. */
function priceIn(list: PriceList, model: string): Price | undefined {
  const bare = model.replace(/^.*\//, "").replace(/\[[^\]]*\]$/, "");
  const names = [model, bare, bare.replace(/[-@](?:20\d{6}|latest)$/, "")];
  const name = names.find(each => Object.hasOwn(list, each));
  return name === undefined ? undefined : list[name];
}

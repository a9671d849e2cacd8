import { createHash } from "node:crypto";
import fc from "fast-check";
import * as system from "../../src/system/index.ts";
import * as words from "../../src/text/index.ts";
import { describeDoor, forAll, forBoth } from "./public-functions.ts";
import { texts } from "./values.ts";

const bytes = fc.uint8Array({ maxLength: 80 });

describeDoor("text", words, {
  escapeControls: forAll(texts, text => {
    const escaped = words.escapeControls(text);
    return (
      !/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/.test(escaped) &&
      words.escapeControls(escaped) === escaped
    );
  }),
  escapeLines: forAll(
    texts,
    text => words.escapeLines(text).replaceAll("\n", "\\n") === words.escapeControls(text),
  ),
  escapeHidden: forAll(texts, text => {
    const escaped = words.escapeHidden(text);
    return (
      !/[\u0000-\u001f\u202a-\u202e]|\p{Default_Ignorable_Code_Point}/u.test(escaped) &&
      words.escapeHidden(escaped) === escaped
    );
  }),
  clipMiddle: forBoth(texts, fc.integer({ min: 4, max: 80 }), (text, length) => {
    const clipped = words.clipMiddle(text, length);
    if (text.length <= length) return clipped === text;
    const [start = "", end = ""] = [
      clipped.slice(0, clipped.indexOf("…")),
      clipped.slice(clipped.lastIndexOf("…") + 1),
    ];
    return clipped.length <= length + 1 && text.startsWith(start) && text.endsWith(end);
  }),
  truncate: forBoth(texts, fc.integer({ min: 1, max: 80 }), (text, length) => {
    const cut = words.truncate(text, length);
    const isWhole = text.length <= length ? cut === text : cut.length >= length - 1 && cut.length <= length;
    const isSplit =
      cut.length < text.length &&
      /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(cut.length - 1, cut.length + 1));
    return isWhole && text.startsWith(cut) && !isSplit;
  }),
  clipWithin: forBoth(texts, fc.integer({ min: 0, max: 80 }), (text, length) => {
    const clipped = words.clipWithin(text, length);
    if (text.length <= length) return clipped === text;
    return clipped.length <= length && (length <= 1 ? clipped === "" : clipped.endsWith("…"));
  }),
  clip: forBoth(texts, fc.integer({ min: 1, max: 80 }), (text, length) => {
    const clipped = words.clip(text, length);
    return text.length <= length ? clipped === text : clipped.endsWith("…") && clipped.length <= length + 1;
  }),
});

describeDoor(
  "system that make digests",
  { sha256: system.sha256, sha256Hex: system.sha256Hex },
  {
    sha256Hex: forAll(
      bytes,
      content => system.sha256Hex(content) === createHash("sha256").update(content).digest("hex"),
    ),
    sha256: forAll(
      bytes,
      content => Buffer.compare(system.sha256(content), createHash("sha256").update(content).digest()) === 0,
    ),
  },
);

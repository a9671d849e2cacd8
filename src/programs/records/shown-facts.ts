import { listingIn } from "../model/effects.ts";
import { type Program, program } from "../model/program.ts";

const DIFF = program("diff", "", {
  options: {
    flags: `-qsycuerntbBwEZiadfHTNPl lines brief report-identical-files ed normal rcs side-by-side left-column
      suppress-common-lines show-c-function p expand-tabs initial-tab suppress-blank-empty paginate recursive
      no-dereference new-file unidirectional-new-file ignore-file-name-case no-ignore-file-name-case ignore-case
      ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines text
      strip-trailing-cr minimal speed-large-files help v|version`,
    values: `-CUWIxSFXD label width starting-file exclude exclude-from from-file to-file show-function-line
      ignore-matching-lines ifdef GTYPE-group-format line-format LTYPE-line-format horizon-lines tabsize palette
      old-group-format new-group-format unchanged-group-format changed-group-format old-line-format
      new-line-format unchanged-line-format`,
    optional: "context unified color",
    abbreviates: false,
  },
  reads: {
    recursive: "r recursive",
    unless: "q brief",
    followsLinks: "always",
    keepsLinks: "no-dereference",
  },
  complete: { except: "l paginate X exclude-from from-file to-file" },
});

/** Programs that show facts about files, compare them and count. */
export function shownFacts(): readonly Program[] {
  return [
    program("stat", "readsNothing usesFiles", {
      options: {
        flags: "-Lft dereference file-system terse help version",
        values: "c|format printf",
        optional: "cached",
      },
      complete: true,
      harmless: { reads: "*" },
    }),
    program("du df", "readsNothing usesFiles", {
      options: {
        flags: `-abcDHhklLmPsSx0iTv all apparent-size bytes total dereference-args human-readable inodes count-links
          dereference no-dereference separate-dirs si summarize null one-file-system print-type portability local
          no-sync sync help version`,
        values: "-BdtXF block-size max-depth threshold exclude exclude-from files0-from type exclude-type x",
        optional: "time time-style output",
        abbreviates: false,
      },
      complete: { except: "X exclude-from files0-from sync" },
      lists: ({ options, operands }) => (options.has("a", "all") ? listingIn(operands, []) : undefined),
      harmless: { reads: "*" },
    }),
    program("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum sum cmp", "readsNothing", {
      options: {
        flags: `-bctwzrslidv binary check tag text zero ignore-missing quiet status strict warn print-bytes verbose silent
          sysv help version`,
        values: "n bytes ignore-initial length",
        abbreviates: false,
      },
      complete: {
        names: "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cmp",
        except: "b c check l i",
      },
      // Bytes that differ are shown.
      effects: [{ read: "operands", when: "l print-bytes verbose" }],
    }),
    program("tree", "readsNothing", {
      options: {
        flags: `-adlfxqNQpugshDFvtcUrACSnXJi noreport matchdirs metafirst ignore-case gitignore inodes device du si prune
          dirsfirst filesfirst fromfile fromtabfile nolinks hintro houtro info fflinks compress opt-toggle help version`,
        values: "-LPIoHT filelimit gitfile infofile charset timefmt sort",
        abbreviates: false,
      },
      complete: {
        only: `a d l f x q N Q p u g s h D F v t c U r A C S n X J i noreport matchdirs metafirst ignore-case inodes device du
          si prune dirsfirst filesfirst nolinks help version L P I T filelimit charset timefmt sort`,
      },
      lists: ({ options, operands }) => listingIn(operands, options.has("a") ? [] : ["hidden"]),
      harmless: { reads: "*" },
    }),
    program("free uptime", "readsNothing", {
      options: {
        flags: `-bkmghltvwpsV bytes kilo mega giga tera peta kibi mebi gibi tebi pebi human si lohi total committed wide
          pretty since line raw container help version`,
        values: "c|count seconds",
        abbreviates: false,
      },
      complete: { except: "s" },
      harmless: { reads: "*" },
    }),
    program("true false sleep", "readsNothing", {
      options: { flags: "help version" },
      complete: true,
      harmless: { reads: "*", names: "true false" },
    }),

    DIFF,
    ...lineTools(),
  ];
}

/** Programs that put lines together and apart. */
function lineTools(): readonly Program[] {
  return [
    program("nl", "", {
      options: {
        flags: "p|no-renumber help version",
        values: `b|body-numbering d|section-delimiter f|footer-numbering h|header-numbering i|line-increment
          l|join-blank-lines n|number-format s|number-separator v|starting-line-number w|number-width`,
        abbreviates: false,
      },
      complete: true,
    }),
    program("paste", "", {
      options: {
        flags: "s|serial z|zero-terminated help version",
        values: "d|delimiters",
        abbreviates: false,
      },
      complete: true,
    }),
    program("comm", "", {
      options: {
        flags: "-123z check-order nocheck-order total zero-terminated help version",
        values: "output-delimiter",
        abbreviates: false,
      },
      complete: true,
    }),
    program("fold", "", {
      options: { flags: "b|bytes s|spaces c|characters help version", values: "w|width", abbreviates: false },
      complete: true,
    }),
    program("join", "", {
      options: {
        flags: "i|ignore-case z|zero-terminated check-order nocheck-order header help version",
        values: "-aejotv12",
        abbreviates: false,
      },
      complete: true,
    }),
    program("fmt", "", {
      options: {
        flags: "c|crown-margin s|split-only t|tagged-paragraph u|uniform-spacing help version",
        values: "p|prefix w|width g|goal",
        abbreviates: false,
      },
      complete: true,
    }),
    program("expand unexpand", "", {
      options: { flags: "i|initial a|all first-only help version", values: "t|tabs", abbreviates: false },
      complete: true,
    }),
    program("tsort", "", { options: { flags: "help version" }, complete: true }),
    program("factor groups tty", "readsNothing", {
      options: { flags: "-hs exponents silent quiet help version" },
      complete: true,
      harmless: { reads: "*", names: "groups" },
    }),
    program("numfmt", "readsNothing", {
      options: {
        flags: "z|zero-terminated debug grouping help version",
        values: "d|delimiter field format from from-unit invalid padding round suffix to to-unit",
        optional: "header",
        abbreviates: false,
      },
      complete: true,
    }),
  ];
}

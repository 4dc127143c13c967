// What the command line asks the simulation for.

import { parseArgs } from "node:util";

export type Given =
  | { readonly kind: "help" }
  | { readonly kind: "mistake"; readonly message: string }
  | Options;

export interface Options {
  readonly kind: "options";
  readonly count: number;
  readonly from: number;
  readonly jobs: number;
  readonly trace: boolean;
  readonly shrink: boolean;
  readonly planted: boolean;
}

export const usage = `Usage:
  npm run simulate -- --seeds 5000 [--from S]    many worlds; the summary comes last
  npm run simulate -- --from 17 --trace          one world, told in full
  npm run simulate -- --from 17 --shrink         the smallest world that fails as it does
  npm run simulate -- --planted                  bugs put into the engine: each must be found

--seeds counts the worlds (1000), --from is the first seed (1), --jobs counts threads (one for
each core).
The exit code is 1 when a promise was broken, and 2 for a mistake in the options.`;

export function optionsIn(args: readonly string[], cores: number): Given {
  try {
    return checked(valuesIn(args, cores));
  } catch (error) {
    // parseArgs throws nothing else, and its first sentence names the option.
    const [message = ""] = (error as Error).message.split(". ");
    return { kind: "mistake", message };
  }
}

type Values = ReturnType<typeof valuesIn>;

function valuesIn(args: readonly string[], cores: number) {
  const options = {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: String(cores) },
    trace: { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
    planted: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  return parseArgs({ args: [...args], options }).values;
}

function checked({ seeds, help, ...values }: Values): Given {
  if (help) return { kind: "help" };
  const [count, from, jobs] = [Number(seeds), Number(values.from), Number(values.jobs)];
  if (![count, from, jobs].every((number) => Number.isSafeInteger(number) && number >= 1)) {
    const message = "--seeds, --from and --jobs take whole numbers above zero";
    return { kind: "mistake", message };
  }
  return { kind: "options", ...values, count, from, jobs };
}

/** Values of options that are texts: addresses and times. */
import { SetpointError } from "../kernel/errors.ts";

/** An empty text, as from an empty environment variable, counts as left out. */
export function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export function listenAddress(option: string, text: string): ListenAddress {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535) {
    const message = `--${option} ${text} is not HOST:PORT with a port up to 65535`;
    throw new SetpointError("config.invalid", message, {
      details: { option, value: text },
      suggestion: "write for example 127.0.0.1:7443, or port 0 for any free port",
    });
  }
  return { host, port };
}

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export function durationMs(option: string, text: string): number | undefined {
  if (text === "forever") return undefined;
  const [, count = "", unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (unitsMs[unit] ?? 0);
  if (count !== "" && ms > 0) return ms;
  throw new SetpointError("config.invalid", `--${option} ${text} is not a duration`, {
    details: { option, value: text },
    suggestion: "write for example 30m, 12h or 7d, or forever",
  });
}

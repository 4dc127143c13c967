// Stops a thread that is blocked in JavaScript at its next statement, evaluates an expression there
// and lets it continue, by the inspector of Node.js. A thread inside of a system call or a native
// function does not stop; then there is no answer within the limit. Nothing is attached before or
// after, so a thread that is never blocked pays nothing.

import { watchdogLimits } from "./limits.ts";
import { withoutReloadMarks } from "../../kernel/reload-mark.ts";

/** Sends commands of the Chrome DevTools Protocol to one thread. */
export interface InspectorPort {
  post(method: string, params: object, answer: (result: unknown) => void): void;
  /** Called with the parameters of each event. */
  on(event: string, run: (params: unknown) => void): void;
}

export interface Inspected {
  /** The innermost first, as FUNCTION (FILE:LINE). */
  readonly stack: readonly string[];
  /** What the expression returned; "" when it failed. */
  readonly value: string;
}

interface Frame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number };
}

interface Script {
  readonly scriptId: string;
  readonly url: string;
}

export function inspectThread(
  port: InspectorPort,
  expression: string,
): Promise<Inspected | undefined> {
  const { promise, resolve } = Promise.withResolvers<Inspected | undefined>();
  const timer = setTimeout(() => resolve(undefined), watchdogLimits.inspectMs);
  const end = (inspected: Inspected): void => {
    clearTimeout(timer);
    resolve(inspected);
  };
  const urls = new Map<string, string>();
  port.on("Debugger.scriptParsed", (params) => {
    const { scriptId, url } = params as Script;
    urls.set(scriptId, url);
  });
  port.on("Debugger.paused", (params) => {
    const { callFrames } = params as { readonly callFrames: readonly Frame[] };
    const stack = callFrames
      .slice(0, watchdogLimits.shownFrames)
      .map((each) => frameText(each, urls));
    const callFrameId = callFrames[0]?.callFrameId;
    const asked = { callFrameId, expression, returnByValue: true, silent: true };
    port.post("Debugger.evaluateOnCallFrame", asked, (result) => {
      port.post("Debugger.resume", {}, () => end({ stack, value: valueIn(result) }));
    });
  });
  port.post("Debugger.enable", {}, () => undefined);
  port.post("Debugger.pause", {}, () => undefined);
  return promise;
}

function frameText({ functionName, location }: Frame, urls: ReadonlyMap<string, string>): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  const file = withoutReloadMarks(urls.get(location.scriptId) ?? "").replace(/^file:\/\//, "");
  return `${name} (${file}:${location.lineNumber + 1})`;
}

function valueIn(result: unknown): string {
  const { result: inner } = (result ?? {}) as { readonly result?: { readonly value?: unknown } };
  return typeof inner?.value === "string" ? inner.value : "";
}

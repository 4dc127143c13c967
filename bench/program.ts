/**
 * Programs of the bench in processes of their own, with the flags of the server: told by lines on
 * stdin, heard on stdout.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { serverFlags } from "../tests/peers/server-flags.ts";

export interface BenchProgram extends Disposable {
  readonly pid: number;
  tell(text: string): void;
  /** The first line that matches and that no earlier call was answered with. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
}

/** `file` is relative to this folder. */
export function program(file: string, args: readonly string[]): BenchProgram {
  const path = new URL(file, import.meta.url).pathname;
  const stdio = ["pipe", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [...serverFlags, path, ...args], { stdio: [...stdio] });
  const seen: string[] = [];
  const waiting = new Set<() => void>();
  let isOver = false;
  const wake = (): void => waiting.forEach((look) => look());
  createInterface({ input: child.stdout }).on("line", (line) => {
    seen.push(line);
    wake();
  });
  child.on("exit", () => {
    isOver = true;
    wake();
  });
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const index = seen.findIndex((line) => pattern.test(line));
    const [line] = index === -1 ? [] : seen.splice(index, 1);
    return line === undefined ? undefined : (pattern.exec(line) ?? undefined);
  };
  return {
    pid: child.pid ?? 0,
    tell: (text: string) => void child.stdin.write(text),
    line: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = (): void => {
          const match = take(pattern);
          if (match === undefined && !isOver) return;
          waiting.delete(look);
          if (match === undefined) reject(new Error(`${file} ended without ${pattern}`));
          else resolve(match);
        };
        waiting.add(look);
        look();
      }),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

/**
 * Runs one program over one folder, and nothing else of this machine: for tools that read files of
 * strangers, such as kustomize and Helm. The contract, which contract/suite.ts proves:
 *
 *  1. The program sees the folder as /work, read-only, an own /tmp, and itself. No other file of
 *     the machine, no process, no network, no environment.
 *  2. It has no rights of its own: it is an unprivileged user in a namespace of its own, and cannot
 *     gain rights by starting a file.
 *  3. `withNetwork` adds the network, and what programs need for it: the libraries and programs
 *     below /usr, read-only, and the authorities and resolvers of the machine.
 *  4. How a run ended is data. Limits are those of the process port.
 *
 * It needs Linux with user namespaces, and the programs unshare, mount and setpriv of util-linux.
 * Where they are missing, a run ends with `unavailable` and never without the sandbox.
 */
import type { ProgramLimits, ProgramResult } from "../process/port.ts";

export interface SandboxRequest {
  /** An absolute path, or a name that is searched for in /usr/local/bin, /usr/bin and /bin. */
  readonly program: string;
  /** The folder is /work, and the given file /given/NAME. */
  readonly args: readonly string[];
  readonly folder: string;
  readonly given?: { readonly name: string; readonly text: string };
  readonly hasNetwork?: boolean;
  readonly limits: ProgramLimits;
  readonly signal: AbortSignal;
}

export type SandboxEnd =
  | { readonly kind: "ended"; readonly result: ProgramResult }
  /** The machine has no such program, or one that does not run without other files. */
  | { readonly kind: "missing"; readonly message: string }
  /** This machine has no sandboxes. */
  | { readonly kind: "unavailable"; readonly message: string };

export interface Sandbox {
  run(request: SandboxRequest): Promise<SandboxEnd>;
}

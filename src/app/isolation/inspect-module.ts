/** Asks the thread of a module that is blocked which call it executes. */
import { Session } from "node:inspector";
import { inspectThread } from "../watchdog/inspect-thread.ts";
import type { Inspected } from "../watchdog/inspect-thread.ts";

/** The global function of the thread that returns the id of the outermost call. */
export const activityKey = "setpoint.module-activity";

interface Attached {
  readonly sessionId: string;
  /** The title begins with the id of the thread; `workerId` is another number. */
  readonly workerInfo: { readonly title: string };
}

interface FromWorker {
  readonly sessionId: string;
  readonly message: string;
}

interface WorkerMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** Undefined when the thread does not stop, as in a system call. */
export async function inspectModule(threadId: number): Promise<Inspected | undefined> {
  const session = new Session();
  try {
    session.connect();
    const sessionId = await attachedTo(session, threadId);
    return await inspectThread(
      portOf(session, sessionId),
      `globalThis[Symbol.for(${JSON.stringify(activityKey)})]()`,
    );
  } catch {
    // Without the inspector the thread is still terminated; only the name is missing.
    return undefined;
  } finally {
    session.disconnect();
  }
}

function attachedTo(session: Session, threadId: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  session.on("NodeWorker.attachedToWorker", ({ params }: { params: Attached }) => {
    if (params.workerInfo.title.startsWith(`[worker ${threadId}]`)) resolve(params.sessionId);
  });
  session.post("NodeWorker.enable", { waitForDebuggerOnStart: false }, (error) => {
    if (error !== null) reject(error);
    else setImmediate(() => reject(new Error("the thread has ended")));
  });
  return promise;
}

function portOf(session: Session, sessionId: string): Parameters<typeof inspectThread>[0] {
  const answers = new Map<number, (result: unknown) => void>();
  const listeners = new Map<string, (params: unknown) => void>();
  let last = 0;
  session.on("NodeWorker.receivedMessageFromWorker", ({ params }: { params: FromWorker }) => {
    if (params.sessionId !== sessionId) return;
    const { id, method, params: given, result } = JSON.parse(params.message) as WorkerMessage;
    if (method !== undefined) listeners.get(method)?.(given);
    if (id !== undefined) answers.get(id)?.(result);
  });
  return {
    on: (event, run) => void listeners.set(event, run),
    post: (method, params, answer) => {
      last += 1;
      answers.set(last, answer);
      const message = JSON.stringify({ id: last, method, params });
      session.post("NodeWorker.sendMessageToWorker", { sessionId, message });
    },
  };
}

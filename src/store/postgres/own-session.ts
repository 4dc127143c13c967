/** A connection for one long task, beside those that serve everybody. */
import { typedFailure } from "./failures.ts";
import { Session } from "./session.ts";
import type { SessionConfig } from "./session.ts";

export async function openOwnSession(config: SessionConfig): Promise<Session> {
  try {
    const session = await Session.open(config);
    await session.identify(config.statementTimeoutMs);
    return session;
  } catch (error) {
    throw typedFailure(error);
  }
}

/** A task that failed here may still run there, with locks held. */
export async function endOwnSession(config: SessionConfig, session: Session): Promise<void> {
  const other = await openOwnSession(config).catch(() => undefined);
  await other?.endOther(session, config.statementTimeoutMs);
  await other?.close();
}

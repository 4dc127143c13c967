// The paths that a browser opens to sign in: a link, and the two steps of an OpenID provider. They
// always answer with a redirect to a page of the console. One that fails leads to the page
// /console/sign-in, whose query names the reason.

import { anonymousUser } from "../../intents/auth/user.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { beginSession, callCause, checkedOrigin, reasonOf } from "./begin-session.ts";
import type { ConsoleCall, ConsolePorts } from "./console-ports.ts";
import { localTarget } from "./local-target.ts";
import { finishCodeFlow, startCodeFlow } from "./oidc/code-flow.ts";
import { redirect, sendToSignIn } from "./sign-in-redirect.ts";

export type SignInStep = "link" | "oidc/start" | "oidc/callback";

export async function handleStep(
  ports: ConsolePorts,
  call: ConsoleCall,
  step: SignInStep,
): Promise<void> {
  // A HEAD request of a program that previews links must not use them.
  if (call.exchange.method !== "GET") {
    throw new SetpointError("request.method_not_allowed", "the path accepts GET", {
      details: { allow: "GET" },
      suggestion: "open the link in a browser",
    });
  }
  switch (step) {
    case "link":
      return await openLink(ports, call);
    case "oidc/start":
      return await startCodeFlow(ports, call);
    case "oidc/callback":
      return await finishCodeFlow(ports, call);
    default:
      return step satisfies never;
  }
}

async function openLink(ports: ConsolePorts, call: ConsoleCall): Promise<void> {
  checkedOrigin(ports, call);
  const { query } = call.parsed;
  const next = localTarget(query.get("next"));
  const cause = callCause(call, anonymousUser);
  const redeemed = await ports.links.redeem(query.get("code") ?? "", cause);
  if (redeemed.kind !== "good") return sendToSignIn(call, `link-${redeemed.kind}`, next);
  const { token } = redeemed;
  try {
    redirect(call, next, await beginSession(ports, call, { token, method: "link" }));
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    sendToSignIn(call, "credential", next);
  }
}

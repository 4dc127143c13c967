import { useSignal } from "@preact/signals";
import { oidcStart, signInWithToken } from "../../api/session.ts";
import type { SignInMethods } from "../../api/session.ts";
import { navigate, place } from "../../router/location.ts";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ErrorPanel } from "../../ui/notice.tsx";
import "./sign-in.css";

/** Why a link did not work, as the server reports it in `?error=`. */
const reasons: Readonly<Record<string, string>> = {
  used: "This link was used.",
  expired: "This link has expired.",
  invalid: "This link is not valid.",
};

export function SignIn({ offers }: { offers: SignInMethods }) {
  const { path, href, query } = place.value;
  const next = path === "/sign-in" ? safeNext(query.get("next")) : href;
  const problem = query.get("error");
  return (
    <div class="sign-in">
      <main class="sign-in-box" id="main">
        <div class="sign-in-brand">
          <Icon name="logo" />
          <h1>Setpoint</h1>
        </div>
        {problem !== null && (
          <p class="sign-in-problem t-failed" role="alert">
            {reasons[problem] ?? "The sign-in did not work."} Start again with one of these:
          </p>
        )}
        {offers.issuers.length > 0 && (
          <section class="sign-in-part" aria-label="Sign in with a provider">
            {offers.issuers.map(({ name }) => (
              <Button key={name} look="main" href={oidcStart(name, next)}>
                Sign in with {name}
              </Button>
            ))}
          </section>
        )}
        {offers.methods.includes("token") && (
          <TokenForm next={next} isFirst={offers.issuers.length === 0} />
        )}
        {offers.methods.includes("link") && (
          <section class="sign-in-part">
            <h2>With a link</h2>
            <p class="muted">
              On the machine of the server, run <code>npm start</code>. It prints a link that signs
              you in.
            </p>
          </section>
        )}
      </main>
      <p class="muted small mono">{window.location.host}</p>
    </div>
  );
}

function TokenForm({ next, isFirst }: { next: string; isFirst: boolean }) {
  const token = useSignal("");
  const error = useSignal<Error | undefined>(undefined);
  const isBusy = useSignal(false);
  const signIn = async (): Promise<void> => {
    isBusy.value = true;
    try {
      await signInWithToken(token.value.trim());
      navigate(next, { replace: true });
    } catch (reason) {
      error.value = reason instanceof Error ? reason : new Error(String(reason));
    } finally {
      isBusy.value = false;
      token.value = "";
    }
  };
  return (
    <form
      class="sign-in-part"
      onSubmit={(event) => {
        event.preventDefault();
        if (token.value.trim() !== "") void signIn();
      }}
    >
      <h2>With a token</h2>
      <label class="field">
        <span class="muted">
          A token of a service account, or the file admin.token of the server
        </span>
        <input
          class="input mono"
          type="password"
          name="token"
          autoComplete="off"
          required
          value={token.value}
          onInput={(event) => {
            token.value = event.currentTarget.value;
          }}
        />
      </label>
      {error.value !== undefined && <ErrorPanel error={error.value} title="Not signed in" />}
      <Button type="submit" look={isFirst ? "main" : "plain"} isBusy={isBusy.value}>
        Sign in
      </Button>
    </form>
  );
}

/** Only a page of the console: `next` is in a link that anyone can write. */
function safeNext(next: string | null): string {
  const home = paths.overview();
  return next !== null && next.startsWith(home) && !next.includes("//") ? next : home;
}

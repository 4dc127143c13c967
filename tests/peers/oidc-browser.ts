// A person with a browser at an OpenID provider: follows redirects, keeps cookies and submits the
// forms of the provider's pages.

const maxPages = 20;

interface Page {
  readonly url: string;
  readonly text: string;
}

export class OidcBrowser {
  readonly #cookies = new Map<string, string>();
  /** A redirect to here belongs to another browser. */
  #returnsTo: string | undefined;

  /** Enters the code of a device, logs in as `login` and consents. */
  async approve(devicePage: string, userCode: string, login: string): Promise<void> {
    let page = await this.#enterCode(devicePage, userCode, { confirm: "yes" });
    for (let pages = 0; pages < maxPages; pages++) {
      const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1];
      if (prompt === undefined) break;
      const answer = prompt === "login" ? { prompt, login, password: "any" } : { prompt };
      page = await this.#open(new URL(actionOf(page), page.url).href, answer);
    }
    if (!/Sign-in Success/i.test(page.text)) {
      throw new Error(`the provider did not accept the code: ${page.text}`);
    }
  }

  /** Logs in and consents at the page that a client opened; returns where that leads to. */
  async signIn(page: string, login: string, returnsTo: string): Promise<string> {
    this.#returnsTo = returnsTo;
    let { url, text } = await this.#open(page);
    for (let pages = 0; pages < maxPages && !url.startsWith(returnsTo); pages++) {
      const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
      if (prompt === undefined) throw new Error(`the provider shows no form: ${text}`);
      const answer = prompt === "login" ? { prompt, login, password: "any" } : { prompt };
      ({ url, text } = await this.#open(new URL(actionOf({ url, text }), url).href, answer));
    }
    return url;
  }

  /** Enters the code of a device and refuses. */
  async refuse(devicePage: string, userCode: string): Promise<void> {
    await this.#enterCode(devicePage, userCode, { abort: "yes" });
  }

  async #enterCode(
    devicePage: string,
    userCode: string,
    answer: Readonly<Record<string, string>>,
  ): Promise<Page> {
    const { text } = await this.#open(devicePage);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(text)?.[1];
    if (xsrf === undefined) throw new Error(`no form to enter a code in: ${text}`);
    return await this.#open(devicePage, { xsrf, user_code: userCode, ...answer });
  }

  /** With fields, the first request submits a form. */
  async #open(url: string, fields?: Readonly<Record<string, string>>): Promise<Page> {
    let next = url;
    let form = fields;
    for (let pages = 0; pages < maxPages; pages++) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(next, {
        redirect: "manual",
        headers: { cookie },
        ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
      });
      this.#keepCookies(response.headers.getSetCookie());
      const location = response.headers.get("location");
      const text = await response.text();
      if (location === null) return { url: next, text };
      next = new URL(location, next).href;
      if (this.#returnsTo !== undefined && next.startsWith(this.#returnsTo)) {
        return { url: next, text: "" };
      }
      form = undefined;
    }
    throw new Error(`${url} redirects more than ${maxPages} times`);
  }

  #keepCookies(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}

function actionOf({ text }: Page): string {
  const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1];
  if (action === undefined) throw new Error(`a page without a form: ${text}`);
  return action.replaceAll("&amp;", "&");
}

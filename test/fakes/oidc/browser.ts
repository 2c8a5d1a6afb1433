/** Follows redirects and keeps cookies as a browser does, without showing a page. */

export interface Visit {
  readonly status: number;
  readonly url: string;
  readonly location: string | undefined;
  readonly setCookie: readonly string[];
  readonly text: string;
}

export class Browser {
  /** Cookies by host, then by name. Paths are ignored. */
  readonly jar = new Map<string, Map<string, string>>();

  cookies(host: string): string {
    return [...(this.jar.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async visit(url: string, init: RequestInit = {}): Promise<Visit> {
    const { host } = new URL(url);
    const headers = new Headers(init.headers);
    if (this.cookies(host) !== '') headers.set('cookie', this.cookies(host));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    const setCookie = response.headers.getSetCookie();
    const own = this.jar.get(host) ?? new Map<string, string>();
    for (const line of setCookie) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const ends = /max-age=0\b|expires=thu, 01 jan 1970/i.test(line);
      if (ends) own.delete(name);
      else own.set(name, value);
    }
    this.jar.set(host, own);
    const location = response.headers.get('location');
    return {
      status: response.status,
      url,
      location: location === null ? undefined : new URL(location, url).href,
      setCookie,
      text: await response.text(),
    };
  }

  /** Follows redirects until `ends` returns true for the next address, or until there is no next address. */
  async follow(url: string, ends: (next: string) => boolean = () => false): Promise<Visit> {
    let visit = await this.visit(url);
    for (let hops = 0; hops < 12 && visit.location !== undefined; hops += 1) {
      if (ends(visit.location)) return visit;
      visit = await this.visit(visit.location);
    }
    return visit;
  }
}

/** Whether a host is one of PlanetScale's own. */
export const isPlanetScale = (hostname: string) => /\.psdb\.cloud$/i.test(hostname)

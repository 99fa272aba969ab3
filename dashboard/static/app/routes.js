/** Every page and its address. A page is fetched when it is first wanted. */

/** @type {import("./router.js").Route[]} */
export const ROUTES = [
  { name: "home", pattern: /^\/$/, load: () => import("./pages/home.js") },
  { name: "setup", pattern: /^\/play$/, load: () => import("./pages/setup.js") },
  { name: "table", pattern: /^\/play\/(?<id>[^/]+)$/, load: () => import("./pages/table.js") },
  { name: "debrief", pattern: /^\/games\/(?<id>[^/]+)$/, load: () => import("./pages/debrief.js") },
  { name: "leaderboard", pattern: /^\/leaderboard$/, load: () => import("./pages/leaderboard.js") },
  { name: "me", pattern: /^\/me$/, load: () => import("./pages/me.js") },
  { name: "rooms", pattern: /^\/rooms$/, load: () => import("./pages/rooms.js") },
  { name: "room", pattern: /^\/rooms\/(?<id>[^/]+)$/, load: () => import("./pages/room.js") },
  { name: "join", pattern: /^\/join$/, load: () => import("./pages/join.js") },
  { name: "agents", pattern: /^\/agents$/, load: () => import("./pages/agents.js") },
  { name: "lab", pattern: /^\/lab$/, load: () => import("./pages/lab.js") },
  { name: "watch", pattern: /^\/watch$/, load: () => import("./pages/watch.js") },
];

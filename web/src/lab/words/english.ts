// Every word of the participant's page that no design file says. Other languages have the same names,
// and the same {places} for what is filled in; a design may say any of them in its own words.

export const ENGLISH = {
  use_dark: "Use dark colours",
  use_light: "Use light colours",

  silent: "The server does not answer at the moment. Trying again …",
  unsent: "No connection. Answers kept here until it is back: {count}. You can go on.",
  refused: "Answers kept here, because the server refuses them: {count}.",
  moment: "One moment …",
  sending: "Sending the last answers …",

  full_title: "Thank you for your interest",
  full: "This study has all the participants that it needs at the moment. You can close this page.",
  returned_title: "You have been here before",
  returned: "Everybody can take part once. If you have begun already, please go on in the browser in which you began.",
  twice_title: "Already open",
  twice: "The experiment is open in another tab. Please go on there, or close it and reload this page.",
  sorry_title: "We are sorry",
  sorry: "Something went wrong on this page. Reload it to go on where you were.",
  sorry_server: "The study cannot go on here. Please send the researchers the lines below.",

  length: "About {minutes} min, {trials} short trials.",
  stored_title: "What is stored",
  questions: "Questions? {contact}",
  agree: "I agree and take part",
  disagree: "I do not agree",
  declined_title: "All right",
  declined: "Nothing was stored. You can close this page.",

  welcome_title: "Thank you for taking part",
  welcome: "Choose a quiet room, and take the time you need for the instructions.",
  back_title: "Welcome back",
  back: "Your answers so far are safe. Trials left: {left}.",
  whole_screen: "The experiment fills the whole screen. The Esc key leaves full screen at any time.",
  fill_screen: "Fill the screen",

  card_title: "How large is your screen?",
  card: "Hold a bank card, or any card of that size, against the screen. Move the slider (or use the arrow keys) until the drawn card has the same size.",
  card_width: "Width of the card",
  distance: "Then sit at an arm’s length from the screen, about 57 cm, and stay there.",
  card_fits: "It fits",

  instructions_title: "What to do",
  begin: "Begin",
  display: "The search display",
  present: "present",
  absent: "absent",
  target_present: "Target present",
  target_absent: "Target absent",
  press: "press {key}",
  tap: "tap “{answer}”",

  part: "Part {part} of {parts}, {trials} trials.",
  payoff:
    "A correct answer earns {correct}, an overlooked target {miss}, a false “present” {false_alarm}, and every second {second} points.",
  practice: "This is practice: these points are not counted.",
  start: "Start",
  break_title: "Take a break",
  progress: "How much is done",
  done: "{percent} is done. Rest your eyes for as long as you like.",
  points_so_far: "Points so far: {points}.",
  go_on: "Go on",

  correct: "Correct",
  wrong: "Wrong",
  too_slow: "Too slow",
  which_keys: "Please press {present} or {absent}",

  thanks_title: "Thank you",
  results_title: "Your results",
  results: "The lines are your mean response times.",
  plot: "Your mean response times over the number of items; the table below has the numbers.",
  items_axis: "items on the display",
  time_axis: "mean response time (ms)",
  table: "Results in numbers",
  column_target: "Target",
  column_items: "Items",
  column_time: "Mean time (ms)",
  column_errors: "Errors (%)",
  points: "Points in all: {points}.",
  code: "Your completion code: {code}",
  redirect: "Return to where you came from",
  number: "Your number in this study: {number}.",
  contact: "If you have questions, or want your data deleted later, write to {contact} and say your number.",

  withdraw: "Withdraw from the study",
  withdraw_title: "Delete all of your answers?",
  withdraw_words: "Everything that is stored about you in this study is deleted at once. This cannot be undone.",
  withdraw_yes: "Delete my answers",
  withdraw_no: "Keep them",
  withdrawn_title: "You have withdrawn",
  withdrawn: "Everything that was stored about you in this study is deleted. You can close this page.",

  finished_title: "Somebody has finished this study here",
  finished: "Was it you, or has somebody else used this browser?",
  somebody_else: "It was somebody else: I want to take part",
  it_was_me: "It was me: show the last page again",
  next_participant: "Next participant",

  handover_title: "Your answers could not be sent",
  handover: "They are kept in this browser. Please save them as a file and send it to the researchers.",
  save: "Save the answers",
} as const;

export type Word = keyof typeof ENGLISH;

/** A pack: every word of another language. */
export type Pack = Readonly<Record<Word, string>>;

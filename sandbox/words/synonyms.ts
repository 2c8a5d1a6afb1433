import { stem } from './terms.ts';

/** Words that people use for the same thing in an office. Each line is one meaning. */
const MEANINGS = `
laptop computer notebook machine pc
reimburse refund repay expense claim
answer acknowledge respond react
money pay payment paid salary
holiday vacation leave
wifi wi-fi wireless network
guest visitor
badge pass card
phone telephone mobile
cost price amount limit budget rate
valid expire last duration long
lose lost missing stolen
hotel accommodation lodging stay
train rail
flight fly plane airfare
meal food lunch dinner breakfast
delete erase remove purge
keep retain store retention
begin start
error failure fault problem
page alert paging
desk seat workplace
kitchen coffee tea pantry
password passphrase credential
setup install configure connect
broken repair defective
order buy purchase
approve approval
receipt invoice
boss manager supervisor
toilet restroom bathroom
parking car garage
run launch start
setting configuration option
`;

const groups = MEANINGS.trim()
  .split('\n')
  .map((line) => line.split(/\s+/).map(stem));

/** Other stems with the meaning of this one. */
export function synonymsOf(term: string): readonly string[] {
  return [...new Set(groups.filter((group) => group.includes(term)).flat())].filter(
    (other) => other !== term,
  );
}

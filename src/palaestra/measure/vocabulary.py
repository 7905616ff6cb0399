"""Which ability an event speaks of, and which events speak of none.

Success and failure at one thing speak of the same ability: an environment in which a player miscounts exercises
counting just as one in which it counts right. So the wordings of a verdict are merged, and words that restate the
outcome or the form of a reply, or what chance did, are silent: every environment has them, and they would make all
profiles alike.

Source: synonymous abilities are merged into reusable names of the form verb_object (Ability-aware Environment
Selection). Departures: there a language model labels and merges; here a table does, open at its end: an event that it
does not name is an ability of its own.
"""

from types import MappingProxyType

SILENT = frozenset({
    "reply_unreadable", "action_illegal",  # the form of a reply
    "goal_reached", "goal_missed", "task_completed", "opponent_won",  # the outcome
    "parts_all_ok", "parts_some_ok", "parts_none_ok",
    "drift_suffered",  # chance
})  # fmt: skip
"""Events that show no ability."""

_EVENTS: dict[str, tuple[str, ...]] = {
    "avoid_collision": ("agents_collided", "agents_swapped"),
    "navigate_to_goal": ("moved_closer", "moved_away", "moved_level"),
    "retrace_path": ("path_reversed",),
    "avoid_obstacle": ("edge_bumped", "obstacle_bumped"),
    "avoid_hazard": ("hazard_entered", "hazard_skirted"),
    "avoid_dead_end": ("dead_end_entered",),
    "unlock_way": ("key_taken", "door_opened"),
    "place_piece": ("piece_placed",),
    "explore_unseen_area": ("unseen_explored",),
    "revisit_seen_area": ("seen_revisited",),
    "recall_earlier_turns": ("memory_used", "memory_missed"),
    "match_pairs": ("pair_matched", "pair_mismatched"),
    "find_endpoints": ("start_right", "end_right"),
    "follow_connections": ("steps_connected", "step_disconnected"),
    "avoid_repetition": ("node_repeated",),
    "minimise_cost": ("cost_optimal", "cost_excessive", "cost_near"),
    "count_things": ("count_ok", "count_over", "count_under", "count_off_by_one"),
    "count_hidden_things": ("count_occluded_ok", "count_occluded_missed"),
    "notice_absence": ("count_zero_ok",),
    "make_threat": ("threat_made",),
    "block_threat": ("threat_blocked",),
    "keep_constraint": (
        "constraint_kept", "constraint_row_broken", "constraint_column_broken", "constraint_box_broken",
    ),
    "respect_given": ("given_changed",),
    "estimate_value": ("value_ok", "value_off"),
    "tell_mirror_image": ("mirror_mistaken",),
}  # fmt: skip

ABILITY = MappingProxyType({event: ability for ability, events in _EVENTS.items() for event in events})
"""The ability behind an event, where it is not the event itself."""

// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_DITHERED_PAIRS_H
#define SMARTSBD_DITHERED_PAIRS_H

#include "controllers/dither.h"
#include "verdicts/verdict-kind.h"

#include "sbd_active.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <vector>

namespace smartsbd
{

/**
 * What the active check says of every two subflows whose windows a controller moves.
 *
 * A pair is judged once it was begun, and once both of its subflows have ten RTT samples. M is the
 * larger of their minimum RTTs until then.
 */
class DitheredPairs
{
  public:
    /**
     * @param seat What the source is made for.
     */
    explicit DitheredPairs(const VerdictSeat& seat);

    /// @return How many pairs there are.
    std::size_t GetCount() const;

    /**
     * @param pair Place of a pair, of sbd_pair_place().
     */
    void Begin(std::size_t pair);

    /**
     * Forget what was found of a pair.
     *
     * @param pair Place of a pair.
     */
    void End(std::size_t pair);

    /**
     * @param pair Place of a pair.
     * @return What is said of it; nothing unless it was begun.
     */
    sbd_active_verdict GetVerdict(std::size_t pair) const;

    /**
     * @param pair Place of a pair.
     * @return The larger of its minimum RTTs; none without samples of both.
     */
    std::optional<ns3::Time> GetLargerRtt(std::size_t pair) const;

    /**
     * Take an RTT sample, and the symbols that ended before it.
     *
     * @param signal The sample.
     * @return Whether pairs were judged.
     */
    bool Take(const Signal& signal);

    /**
     * @param paused Whether no window is to be moved.
     */
    void Pause(bool paused);

    /// @return Judgements, and what they were made of: when pairs began, and symbols.
    nlohmann::ordered_json Print() const;

  private:
    /// Two subflows.
    struct Pair
    {
        std::size_t a;                        //!< Index of a subflow
        std::size_t b;                        //!< Index of the other one
        bool begun{false};                    //!< Whether it is to be judged
        std::optional<sbd_active_pair> check; //!< What the sender's C keeps
    };

    /// Tell pairs of the symbols that have ended.
    void TakeSymbols();

    /**
     * Let a pair that was begun keep something, if enough is known.
     *
     * @param pair The pair.
     * @param now The time.
     */
    void Open(Pair& pair, ns3::Time now);

    /**
     * Note a judgement.
     *
     * @param pair The pair.
     * @param now When.
     */
    void Note(const Pair& pair, ns3::Time now);

    Shared<DitheredWindow> m_windows;        //!< What the controllers tell
    std::vector<Pair> m_pairs;               //!< Every two subflows, by sbd_pair_place()
    std::vector<uint32_t> m_samples;         //!< RTT samples of each subflow
    std::vector<uint32_t> m_least;           //!< The least of them in us
    nlohmann::ordered_json m_begun = nlohmann::ordered_json::array();      //!< Pairs and their M
    nlohmann::ordered_json m_symbols = nlohmann::ordered_json::array();    //!< All symbols
    nlohmann::ordered_json m_judgements = nlohmann::ordered_json::array(); //!< All judgements
};

} // namespace smartsbd

#endif /* SMARTSBD_DITHERED_PAIRS_H */
